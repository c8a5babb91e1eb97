// Faults that several operations have. The contract says which: by its methods, parameters, headers and bodies.

import { ORDER_STATUSES, PET_STATUSES } from '../../../contract/src/generated.ts'
import type { JsonObject } from '../../../contract/src/json.ts'
import type { Parameter, Response } from '../../../contract/src/openapi.ts'
import * as wrong from '../../../verify/src/wrong-values.ts'
import type { ClientRequest } from '../proxy.ts'
import { ofCreate } from './creates.ts'
import * as change from './shared/changes.ts'
import * as faults from './shared/faults.ts'
import { secondTime, stuckAfter, withFirstKey } from './shared/memory.ts'
import { hasCursor, hasHeader, hasNext, parametersOf, patternOf, type When, withoutKey } from './shared/requests.ts'
import { isJson, objectOf, setMember } from './shared/values.ts'

const REMOVED = {
  ETag: 'etag',
  'Cache-Control': 'cache-control',
  'Idempotency-Replayed': 'idempotency.replayed-header',
}

/** Changes the status of the success, or removes a header. */
function ofSuccess(on: string, status: number, headers: object): faults.ContractFaults {
  const removed = Object.entries(REMOVED).filter(([name]) => name in headers)
  const without = Object.fromEntries(removed.map(([name, id]) => [id, change.header(name)]))
  return faults.answering(on, status, { success: change.status(202), ...without })
}

const hasNoId: When = ({ target }) => !/\/(?:pets|orders)\/[1-9]\d*(?:\/|$)/.test(target)

function ofId(on: string): faults.ContractFaults {
  return {
    ...faults.answering(on, 404, { 'not-found': change.error(410) }),
    ...faults.refusing(on, 'invalid_parameter', { 'no-id': hasNoId }),
  }
}

function ofKey(on: string): faults.ContractFaults {
  const withoutAny = { 'no-key': withFirstKey(on, 401, withoutKey) }
  return on.startsWith('GET') ? withoutAny : { ...withoutAny, 'read-only-key': withFirstKey(on, 403) }
}

/** Conditional requests (RFC 9110, 13). */
function ofRead(on: string): faults.ContractFaults {
  const head = on.replace('GET', 'HEAD')
  return {
    ...faults.sending(head, { 'not-modified.head': change.header('If-None-Match') }),
    ...faults.sending(on, {
      'if-none-match': change.header('If-None-Match'),
      'if-none-match.other': change.header('If-None-Match', () => '*'),
      'if-match.other': change.header('If-Match', () => '*'),
    }),
    ...faults.refusing(on, 'precondition_failed', { 'if-match': hasHeader('If-Match', /./) }),
    'if-match.unchanged': { on, status: 304, when: hasHeader('If-Match', /\*/), again: change.header('If-None-Match') },
    ...faults.answering(on, 304, { 'not-modified': change.text(() => '[]') }),
  }
}

const withoutFirst = change.items((all) => all.slice(1))
const hasCursorAnd = (text: string) => (request: ClientRequest) => hasCursor(request) && request.target.includes(text)

/** `names` are the parameters, and `filter` the numeric filter. */
function ofList(on: string, names: readonly string[], filter: string): faults.ContractFaults {
  const statuses: readonly string[] = filter === 'petId' ? ORDER_STATUSES : PET_STATUSES
  const addLink: change.Change = (response, request) =>
    change.header('Link', `<${request.target.replace(/\?.*/, '')}?cursor=x>; rel="next"`)(response)
  return {
    ...faults.answering(on, 200, {
      order: change.items((all) => all.toReversed()),
      next: change.header('Link'),
      prev: change.header('Link', (link) => link.replace('rel="prev"', 'rel="previous"')),
    }),
    ...faults.sending(on, {
      'sort.newest': change.parameter('sort', /^newest$/),
      'sort.oldest': change.parameter('sort', /^oldest$/, 'newest'),
      filters: change.query((given) => given.has(filter) && given.delete('status')),
      ...Object.fromEntries(statuses.map((one) => [`status.${one}`, change.parameter('status', RegExp(`^${one}$`))])),
    }),
    ...faults.refusing(on, 'invalid_parameter', {
      'cursor.limit': hasCursorAnd('limit=5'),
      'parameters.unknown': (request) => [...parametersOf(request).keys()].some((name) => !names.includes(name)),
      'parameters.encoded': ({ target }) => /=%3\d/.test(target),
      'search.longest': (request) => parametersOf(request).get('search')?.length === 255,
    }),
    'next.none': { on, status: 200, when: (_, response) => !hasNext(response), answer: addLink },
    'next.follow': { on, status: 200, when: hasCursor, answer: withoutFirst },
    'newest.follow': { on, status: 200, when: hasCursorAnd('sort=newest'), answer: withoutFirst },
    'cursor.other': { on, status: 400, when: hasCursorAnd('sort='), again: change.parameter('cursor', /./) },
  }
}

/** Returns the response to a successful change instead of an error. */
const done = (success: number): change.Change =>
  success === 200 ? () => faults.jsonAnswer(200, {}) : change.empty(success)
/** An ETag from the service, and not one that a check made up. */
const hasTag = hasHeader('If-Match', /^"(?!x")[^"]*"$/)

/** Changes of one pet or order, by PATCH or by deletion. */
function ofCorrection(on: string, success: number): faults.ContractFaults {
  const when: faults.Fault['when'] = (request, { status }) => (status === 412 || status === 404) && hasTag(request)
  return {
    ...faults.refusing(on, 'invalid_parameter', { 'idempotency-key': hasHeader('Idempotency-Key', /./) }),
    // The pet can be deleted by the request that wins the race.
    together: { on, when, answer: done(success) },
  }
}

function ofMove(on: string, success: number, to: string, conflict: string): faults.ContractFaults {
  return {
    pet: stuckAfter(to),
    again: secondTime(on, () => faults.errorAnswer('order_not_pending')),
    conflict: { on, status: 409, when: (_, { body }) => body.includes(`is ${conflict}:`), answer: done(success) },
    'state-first': { on, status: 409, when: hasHeader('If-Match', /./), answer: change.error(412) },
  }
}
const MOVES: Record<string, readonly [to: string, conflict: string]> = {
  'orders.complete': ['completed', 'returned'],
  'orders.cancel': ['cancelled', 'returned'],
  'orders.return': ['returned', 'cancelled'],
}

/** The body of a PATCH. */
function ofPatch(on: string): faults.ContractFaults {
  const answer = done(200)
  return {
    nothing: { on, status: 400, when: ({ body }) => body.toString() === '{}', answer },
    'json.broken': { on, status: 400, when: ({ body }) => !isJson(body), answer },
    ...faults.answering(on, 415, { 'media-type.other': answer }),
    ...faults.answering(on, 413, { 'size.too-large': answer }),
    'same.conditions': { on, status: 200, when: hasHeader('If-Match', /^"x"$/), answer: change.error(412) },
  }
}

type Named = [id: string, fault: faults.Fault]
const onFamily = (family: wrong.Family) => patternOf(wrong.FAMILIES[family])

/** Accepts wrong values of fields. */
const fields = Map.groupBy(wrong.FIELD_PROMISES, ({ id }) => id)
const FIELDS = [...fields].map(([id, promises]): Named => {
  const on = onFamily(promises[0]?.family ?? 'pets.create')
  const wrongIn = (object: JsonObject) => promises.filter((one) => wrong.isWrong(one, object.get(one.field)))
  const again = change.each((object) => {
    for (const one of wrongIn(object)) setMember(object, one.field, wrong.validValue(one))
  })
  return [id, { on, status: 400, when: (request) => wrongIn(objectOf(request)).length > 0, again }]
})

/** Ignores an invalid value of a parameter if no other parameter is invalid. */
const PARAMETERS = wrong.PARAMETER_PROMISES.map(({ id, family, parameter: { name } }): Named => {
  const isAlone = new RegExp(`^(?:${name}(?:,|$))+$`)
  const when: When = (request) => isAlone.test([...parametersOf(request).keys()].join())
  return [id, { on: onFamily(family), status: 400, when, again: change.query((given) => given.delete(name)) }]
})
/** Ignores every value of the parameters that are ids. */
const IDS = wrong.PARAMETER_PROMISES.flatMap(({ id, family, parameter: { name, schema } }): Named[] => {
  const fault = { on: onFamily(family), send: change.parameter(name, /./) }
  return schema.format === 'int64' ? [[id.replace(/\.wrong$/, ''), fault]] : []
})

function faultsOf(family: wrong.Family): faults.ContractFaults {
  const on = onFamily(family)
  const { responses, parameters = [], requestBody } = wrong.operationOf(family)
  const success = Number(Object.keys(responses)[0])
  const names = (parameters as Parameter[]).flatMap(({ name }) => name ?? [])
  const filter = names.find((name) => name.endsWith('Id')) ?? ''
  const move = MOVES[family]
  const isRead = on.startsWith('GET')
  const isChange = on.includes('*') && !isRead
  return {
    ...ofSuccess(on, success, (responses[success] as Response).headers ?? {}),
    ...(on.includes('*') && ofId(on)),
    // The three operations of the interface document have their own promises about keys.
    ...(!/^pets\.(?:list|get|create)$/.test(family) && ofKey(on)),
    ...(isRead && faults.answering(on.replace('GET', 'HEAD'), 200, { head: change.header('Cache-Control') })),
    ...('304' in responses && ofRead(on)),
    ...('304' in responses && family.endsWith('.list') && ofList(on, names, filter)),
    ...(family.endsWith('.list') && faults.sending(on, { brackets: withoutBrackets })),
    ...(requestBody && (isChange ? ofPatch(on) : ofCreate(on))),
    ...(isChange && faults.sending(on, CONDITIONS)),
    ...(isChange && (move ? ofMove(on, success, ...move) : ofCorrection(on, success))),
  }
}
const withoutBrackets: change.RequestChange = (request) => {
  return { ...request, target: request.target.replaceAll('[]=', '=') }
}
const CONDITIONS = { 'if-match': change.header('If-Match'), 'if-none-match': change.header('If-None-Match') }

export const FAMILY_FAULTS: faults.ContractFaults = {
  ...Object.fromEntries([...FIELDS, ...PARAMETERS, ...IDS]),
  ...Object.assign({}, ...wrong.families.map((family) => faults.under(family, faultsOf(family)))),
}
