// Builds the planted faults of histories from the contract faults of practice. Adds bodies as plain objects, chance, the server of a
// request, and entity tags: a response that a fault changes gets the tag of its new bytes.

import { behaviourOf, type ContractFault } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import { remembering } from '../../../packages/practice/src/contract-faults/shared/memory.ts'
import { isOf, type When, withKey } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { Behaviour, ClientRequest, Pass, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import { entityTag } from '../../../packages/service/src/http/response/conditions.ts'
import { headerOf, withHeader } from '../../../packages/verify/src/messages.ts'
import type { Between, Sent } from '../clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever they are
export type Body = any
export type Faults = Readonly<Record<string, ContractFault>>

export const serverOf = (request: ClientRequest) => (request as Sent).server
export const keyOf = ({ headers }: ClientRequest) => headerOf(headers, 'Authorization') ?? ''
export const idOf = ({ target }: ClientRequest) => Number(/\/(\d+)/.exec(target)?.[1])
export const linkOf = ({ headers }: ServiceResponse) => headerOf(headers, 'Link') ?? ''
export const isRead = ({ method }: ClientRequest) => method === 'GET' || method === 'HEAD'
export const isDone = ({ status }: ServiceResponse) => status < 300
export const isReplay = ({ headers }: ServiceResponse) => headerOf(headers, 'Idempotency-Replayed') !== undefined

/** Parses the body of a request or a response. */
export function json({ body }: { body: Buffer }): Body {
  return body.length === 0 ? {} : JSON.parse(body.toString())
}

export function withBody<Of extends ServiceResponse | ClientRequest>(of: Of, body: Body): Of {
  return { ...of, body: Buffer.from(JSON.stringify(body)) }
}

/** Adds `ms` to a time. */
export function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString()
}

/** Moves the end of a reservation by `ms`. Other bodies stay the same. */
export const ending = (ms: number) => (body: Body) =>
  body.expiresAt ? { ...body, expiresAt: shifted(body.expiresAt, ms) } : body

/** Answers these operations instead of the service, which it can call. */
export function instead(
  operations: string,
  answer: (request: ClientRequest, pass: Pass) => ServiceResponse | Promise<ServiceResponse>,
): () => Behaviour {
  return () => async (request, pass) => (isOf(request, operations) ? answer(request, pass) : pass(request))
}

/** Sends a request that was refused with this status again, with the key of the last such request that succeeded. */
export function withLastKey(refused: number, isSuch: When): ContractFault {
  return remembering(
    () => ({ key: '' }),
    (last, request, response, pass) => {
      if (isDone(response) && isSuch(request)) last.key = keyOf(request)
      return response.status === refused && isSuch(request) && last.key ? pass(withKey(request, last.key)) : response
    },
  )
}

/** Applies the fault to a share of the requests. */
export const sometimes =
  (share: number) =>
  (fault: ContractFault): ContractFault =>
  () => {
    const behave = behaviourOf(fault)
    return (request, pass, client) => (Math.random() < share ? behave(request, pass, client) : pass(request))
  }

/** Changes the body of a request. */
export function asked(operations: string, change: (body: Body) => Body): ContractFault {
  return {
    on: operations,
    send: (request) => (request.body.length > 0 ? withBody(request, change(json(request))) : request),
  }
}

/** Changes the path and the query of a request. */
export function target(operations: string, change: (target: string, request: ClientRequest) => string): ContractFault {
  return { on: operations, send: (request) => ({ ...request, target: change(request.target, request) }) }
}

/** Changes the body of a success. */
export function answered(operations: string, change: (body: Body, request: ClientRequest) => Body): ContractFault {
  const has = (_: ClientRequest, response: ServiceResponse) => isDone(response) && response.body.length > 0
  return {
    on: operations,
    when: has,
    answer: (response, request) => withBody(response, change(json(response), request)),
  }
}

/** Combines two faults: the first is closer to the service. */
export function both(first: ContractFault, second: ContractFault): ContractFault {
  return () => {
    const [one, other] = [behaviourOf(first), behaviourOf(second)]
    return (request, pass, client) => other(request, (passed) => one(passed, pass, client), client)
  }
}

/** Changes each pet, order or event of any response. */
export function everyRow(change: (row: Body) => Body): ContractFault {
  return answered('*', (body, request) => {
    if (/inventory/.test(request.target)) return body
    return Array.isArray(body) ? body.map(change) : change(body)
  })
}

/** Reads the current resource with a GET. */
export async function current(request: ClientRequest, pass: Pass, path = request.target): Promise<ServiceResponse> {
  const { method: _, body: __, ...rest } = withKey({ ...request, headers: [] }, keyOf(request))
  return pass({ ...rest, method: 'GET', body: Buffer.alloc(0), target: path.replace(/\/(complete|return)$/, '') })
}

/** Responses that keep status and body although the request has their tag. */
const unconditional = new WeakSet<ServiceResponse>()
const tagsOf = ({ headers }: ClientRequest) => headerOf(headers, 'If-None-Match')?.split(', ') ?? []
const tagOf = ({ headers }: ServiceResponse) => headerOf(headers, 'ETag') ?? ''
export const tagged = (response: ServiceResponse, tag: string): ServiceResponse => {
  return { ...response, headers: withHeader(response.headers, 'ETag', tag) }
}
const notModified = (response: ServiceResponse, tag: string): ServiceResponse => {
  return { ...tagged(response, tag), status: 304, body: Buffer.alloc(0) }
}

/** Answers a conditional read with 304 and the tag that `choose` returns, or with 200. */
export function knowing(choose: (sent: readonly string[], tag: string) => string | undefined): ContractFault {
  return {
    on: '*',
    answer: (response, request) => {
      const tags = tagsOf(request)
      if (response.status !== 200 || tags.length === 0) return response
      const known = choose(tags, tagOf(response))
      if (known !== undefined) return notModified(response, known)
      const whole = { ...response }
      unconditional.add(whole)
      return whole
    },
  }
}

/** Removes If-None-Match on the way to the service, and compares its tags with the tag of the final response. */
export function between(fault: Behaviour): Between {
  return async (sent, pass) => {
    const given: ServiceResponse[] = []
    const untagged: Pass = async (request) => {
      const response = await pass({ ...request, headers: withHeader(request.headers, 'If-None-Match', undefined) })
      given.push(response)
      return response
    }
    // No behaviour here looks at the connection.
    const changed = await fault(sent, untagged, undefined as never)
    const response = unconditional.has(changed) ? changed : retagged(changed, given)
    const isKnown = response.status === 200 && tagsOf(sent).includes(tagOf(response))
    return isKnown && !unconditional.has(response) ? notModified(response, tagOf(response)) : response
  }
}

/** Gives the response the tag of its bytes if it has the tag of a response with other bytes. */
function retagged(response: ServiceResponse, given: readonly ServiceResponse[]): ServiceResponse {
  const same = given.filter((one) => tagOf(one) === tagOf(response))
  const isSame = (one: ServiceResponse) => one.body.equals(response.body) && linkOf(one) === linkOf(response)
  if (tagOf(response) === '' || same.length === 0 || same.some(isSame)) return response
  const text = response.body.toString()
  return tagged(response, entityTag(text, text.startsWith('[') ? linkOf(response) : ''))
}
