// Finds the promises that a fault can affect. Their checks, run against an honest service, had an exchange that
// the fault changes. All other promises still hold, and need no second examination.

import { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { behaviourOf, type ContractFault } from '../../packages/practice/src/contract-faults/shared/faults.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../packages/practice/src/proxy.ts'
import type { Answer } from '../../packages/verify/src/answer.ts'
import { Examination } from '../../packages/verify/src/examination.ts'
import type { Probe } from '../../packages/verify/src/probe.ts'
import { PROMISES } from '../../packages/verify/src/promises/all.ts'
import type { PromiseRow } from '../../packages/verify/src/promises/shared/promise.ts'
import { type Examined, targetOf } from './examine.ts'

interface Exchange {
  /** The id of a promise, or the name of a preparation that several checks share. */
  owner: string
  request: ClientRequest
  response: ServiceResponse
}

/** Examines this honest service, and resolves with a function that returns the promises that a fault affects. */
export async function concerns(url: string, keys: Examined['keys']): Promise<Concerns> {
  const exchanges: Exchange[] = []
  const used = new Map<string, Set<string>>()
  const uses = (owner: string, name: string) => used.set(owner, (used.get(owner) ?? new Set()).add(name))

  const recording = (probe: Probe, owner: string): Probe =>
    new Proxy(probe, {
      get(target, name) {
        if (name === 'seen') uses(owner, EVERYTHING)
        if (name === 'shared')
          return (what: string, make: (own: Probe) => Promise<unknown>) => {
            uses(owner, what)
            return target.shared(what, (own) => make(recording(own, what)))
          }
        if (name !== 'ask') return Reflect.get(target, name)
        return async (...args: Parameters<Probe['ask']>) => {
          const answer = await target.ask(...args)
          exchanges.push({ owner, ...exchangeOf(new URL(url).pathname, answer) })
          return answer
        }
      },
    })

  const recorded = PROMISES.map((row) => ({ ...row, check: (probe: Probe) => row.check(recording(probe, row.id)) }))
  const examination = new Examination(targetOf(url, { keys, write: true }), recorded)
  await examination.begin()
  await examination.examine(recorded)

  return async (fault) => {
    const touched = await touchedBy(fault, exchanges)
    const isTouched = (owner: string): boolean =>
      touched.has(owner) ||
      [...(used.get(owner) ?? [])].some((name) => (name === EVERYTHING ? touched.size > 0 : isTouched(name)))
    return PROMISES.filter(({ id }) => isTouched(id))
  }
}

const EVERYTHING = 'every response'
type Concerns = (fault: ContractFault) => Promise<PromiseRow[]>
type Exchanged = Record<'request', ClientRequest> & Record<'response', ServiceResponse>
/** Replaces the client's connection. */
const NO_CLIENT = new Socket()

function exchangeOf(base: string, { request, status, headers, text }: Answer): Exchanged {
  const { method, path, body } = request
  return {
    request: { method, target: base + path, headers: request.headers, body: Buffer.from(body ?? []) },
    response: { status, headers, body: Buffer.from(text) },
  }
}

/** Replays the exchanges in order through the fault, and returns the owners of the exchanges that it changes. */
async function touchedBy(fault: ContractFault, exchanges: readonly Exchange[]): Promise<Set<string>> {
  const behave = behaviourOf(fault)
  const touched = new Set<string>()
  for (const { owner, request, response } of exchanges) {
    let passes = 0
    const pass: Pass = async (passed) => {
      passes++
      if (!isDeepStrictEqual(passed, request)) touched.add(owner)
      return response
    }
    const lied = await behave(request, pass, NO_CLIENT)
    if (passes > 1 || !isDeepStrictEqual(lied, response)) touched.add(owner)
  }
  return touched
}
