// Network faults: validation, and the choice of the requests they apply to.

import { type OperationId, operations } from '../../../contract/src/contract.ts'
import { ERROR_STATUS } from '../../../contract/src/generated.ts'
import type { Fault } from '../../../testing/testing.ts'
import { isOf, patternOf } from '../contract-faults/shared/requests.ts'
import type { ClientRequest } from '../proxy.ts'

interface Rule {
  isRight(value: unknown): boolean
  must: string
}

const isFrom = (min: number, max = Number.MAX_SAFE_INTEGER) => ({
  isRight: (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  must: `be an integer from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
})
const isOneOf = (values: readonly string[]): Rule => ({
  isRight: (value) => values.some((one) => one === value),
  must: `be one of ${values.join(', ')}`,
})
const IS_BOOLEAN: Rule = { isRight: (value) => typeof value === 'boolean', must: 'be true or false' }
const RULES: Record<keyof Fault, Rule> = {
  operation: isOneOf(operations.map(({ id }) => id)),
  times: isFrom(1),
  every: isFrom(1),
  rate: { isRight: (value) => typeof value === 'number' && value >= 0 && value <= 1, must: 'be a number from 0 to 1' },
  seed: isFrom(0, 2 ** 32 - 1),
  status: isFrom(400, 599),
  code: isOneOf(Object.keys(ERROR_STATUS)),
  retryAfter: isFrom(0),
  // The longest delay of a timer.
  latencyMs: isFrom(0, 2 ** 31 - 1),
  cut: isOneOf(['before', 'after']),
  truncate: isFrom(0),
  drip: isFrom(1),
  reset: IS_BOOLEAN,
  unknown: IS_BOOLEAN,
}

/** Faults in the order they were added. Only the first matching fault applies to a request. */
export class Faults {
  private readonly added: { fault: Fault; operation: string; left: number; isDue: boolean; isNext(): boolean }[] = []

  /** Throws an Error for an invalid fault. */
  add(given: unknown): void {
    const fault = checked(given)
    this.added.push({
      fault,
      operation: fault.operation === undefined ? '*' : patternOf(fault.operation as OperationId),
      left: fault.times ?? (fault.every === undefined && fault.rate === undefined ? 1 : Number.POSITIVE_INFINITY),
      isDue: false,
      isNext: chooser(fault),
    })
  }

  clear(): void {
    this.added.length = 0
  }

  /** Returns the fault for this request, and counts it as one of its times. */
  next(request: ClientRequest): Fault | undefined {
    const isMeant = (one: (typeof this.added)[number]) =>
      one.left > 0 && isOf(request, one.operation) && (one.isNext() || one.isDue)
    const striking = this.added.find(isMeant)
    if (!striking) return undefined
    striking.left--
    striking.isDue = false
    return striking.fault
  }

  /** For a fault that changed nothing, such as truncating a short body: the next request gets it. */
  giveBack(fault: Fault): void {
    const one = this.added.find((added) => added.fault === fault)
    if (!one) return
    one.left++
    one.isDue = true
  }
}

/** Returns a function that decides for each request in turn whether the fault applies. */
function chooser({ every = 1, rate, seed = 0 }: Fault): () => boolean {
  let seen = 0
  if (rate === undefined) return () => ++seen % every === 0
  // Bun.hash is the same on every machine. It returns 64 bits, and a number holds 53.
  return () => Number(Bun.hash(`${seed}.${seen++}`) >> 11n) / 2 ** 53 < rate
}

function checked(given: unknown): Fault {
  if (!(given instanceof Object)) throw new Error('A fault is an object, such as {"status": 503}.')
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof Fault] : undefined
    if (!rule) throw new Error(`A fault has no ${name}. It can have ${Object.keys(RULES).join(', ')}.`)
    if (!rule.isRight(value)) throw new Error(`${name} must ${rule.must}.`)
  }
  const fault: Fault = given
  const { status, code, cut, truncate, drip, latencyMs, reset, retryAfter, every, rate, seed, unknown } = fault
  const isError = status !== undefined || code !== undefined
  const isClosed = cut !== undefined || truncate !== undefined
  if (!isError && !isClosed && drip === undefined && latencyMs === undefined && unknown === undefined) {
    throw new Error('A fault needs one of status, code, latencyMs, cut, truncate, drip, unknown.')
  }
  if (cut && (isError || truncate !== undefined || drip !== undefined)) {
    throw new Error('With cut there is no response, so status, code, truncate and drip cannot be used.')
  }
  if (reset && !isClosed) throw new Error('reset needs cut or truncate.')
  if (rate !== undefined && every !== undefined) throw new Error('rate and every cannot be combined.')
  if (seed !== undefined && rate === undefined) throw new Error('seed needs rate.')
  if (retryAfter !== undefined && !isError) throw new Error('retryAfter needs status or code.')
  return fault
}
