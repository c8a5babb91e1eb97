// A request to an operation of the contract, in the order of its checks: admit → authenticate → authorize → count → read and
// validate → operate → respond.

import type { ContractOperation } from '../contract/contract.ts'
import type { Validator } from '../contract/schema.ts'
import { PetstoreError } from '../domain/errors.ts'
import type { ApiKey } from '../domain/keys.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Admission } from './limits/admission.ts'
import type { RateLimit } from './limits/rate-limit.ts'
import { handlers, type Services } from './operations.ts'
import type { Authentication } from './request/authentication.ts'
import { readBody } from './request/body.ts'
import { IdempotentCreates } from './request/idempotency-key.ts'
import { readParameters } from './request/parameters.ts'
import { traceOf } from './request/trace.ts'
import type { Responder } from './resource.ts'
import { checkNotRemoved, type DeprecatedCallTally, deprecationHeaders } from './response/deprecation.ts'
import type { Replay } from './response/list-cache.ts'
import { type Answer, okHeaders, respond } from './response/response.ts'

export interface OperateOptions {
  metrics?: Metrics | undefined
  store: Store
  authentication: Authentication
  replay: Replay
  log: Log
  tally: DeprecatedCallTally
  admission: Admission
  /** `undefined`: a key may send as much as it likes. */
  rateLimit: RateLimit | undefined
  /** Whether an operation ends at its sunset, or is only announced to. */
  enforceSunset: boolean
  /** Milliseconds since 1970. */
  now: () => number
  /** How long a body may take to arrive, from its head. */
  bodyTimeoutMs: number
}

export function operate(operation: ContractOperation, options: OperateOptions): Responder {
  const {
    store,
    authentication,
    replay,
    log,
    metrics,
    tally,
    admission,
    rateLimit,
    enforceSunset,
    now,
    bodyTimeoutMs,
  } = options
  const announced = operation.deprecation && okHeaders(deprecationHeaders(operation.deprecation))
  const services = { pets: store, creates: new IdempotentCreates() }
  return async (request, requestId) => {
    admission.check()
    const header = request.headers.get('Authorization')
    const stamp = store.freshness()
    const caller = authentication.known(header) ?? (await authentication.verify(header))
    authorize(operation, caller)
    rateLimit?.take(request, caller.id)
    if (operation.deprecation) {
      tally.count(caller.id, operation.id, now())
      metrics?.deprecatedCall(operation.id, caller.id)
    }
    if (operation.deprecation && enforceSunset) checkNotRemoved(operation, now())
    let body: unknown
    if (operation.body) {
      const json = await readBody(request, bodyTimeoutMs)
      await authentication.verifyAgain(header, caller, stamp)
      body = validated(operation.body, json)
    }
    const parameters = readParameters(operation, request)
    const begun = replay.begin()
    admission.enter()
    let answer: Answer
    try {
      answer = await handle(operation, services, caller, parameters, body)
    } finally {
      admission.leave()
    }
    if (announced) answer.shared = announced
    if (!answer.logged) {
      const response = respond(request, answer)
      replay.keep(operation, request.url, answer, begun)
      return response
    }
    log.info(
      { requestId: requestId(), ...traceOf(request.headers), keyId: String(caller.id), ...answer.logged },
      operation.id,
    )
    answer.headers['X-Request-Id'] = requestId()
    return respond(request, answer)
  }
}

/** A read-only key may use the safe methods (RFC 9110, 9.2.1). */
function authorize({ method }: ContractOperation, caller: ApiKey): void {
  if (!caller.readOnly || method === 'GET') return
  throw new PetstoreError('read_only_key', 'This API key may only read. Use one that was created without --read-only.')
}

function validated(validate: Validator, json: Parameters<Validator>[0]): unknown {
  const problems: string[] = []
  const value = validate(json, 'The body', problems)
  if (problems.length > 0) throw new PetstoreError('invalid_pet', problems.join(' '))
  return value
}

/** The contract has checked parameters and body: this is where they take the types generated from it. */
function handle(
  { id }: ContractOperation,
  services: Services,
  caller: ApiKey,
  parameters: unknown,
  body: unknown,
): Promise<Answer> {
  return (handlers[id] as (...values: unknown[]) => Promise<Answer>)(services, caller, parameters, body)
}
