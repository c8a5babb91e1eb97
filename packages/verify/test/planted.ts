// Realistic faults of kinds that a catalogue can miss, without a promise id: only one kind of request, one value or
// one place shows them, or they depend on earlier requests. A contract fault already shows the simpler ones.

import { type Json, stringifyJson } from '../../contract/src/json.ts'
import * as changes from '../../practice/src/contract-faults/shared/changes.ts'
import {
  behaviourOf,
  type ContractFault,
  type ContractFaults,
  errorAnswer,
  jsonAnswer,
} from '../../practice/src/contract-faults/shared/faults.ts'
import { refusingOthers, secondTime } from '../../practice/src/contract-faults/shared/memory.ts'
import * as on from '../../practice/src/contract-faults/shared/operations.ts'
import {
  hasKey,
  isFiltered,
  isOf,
  parametersOf,
  pathOf,
  withKey,
} from '../../practice/src/contract-faults/shared/requests.ts'
import { isJson, number, objectOf, textOf } from '../../practice/src/contract-faults/shared/values.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../practice/src/proxy.ts'
import { headerOf } from '../src/headers.ts'

const empty = changes.text(() => '')
const page = changes.both(
  changes.header('Content-Type', 'text/html'),
  changes.text(() => '<h1>Error</h1>'),
)
const keyOf = ({ headers }: ClientRequest) => headerOf(headers, 'Idempotency-Key')

/** Accepts keys that resemble the first working key. */
function takingKeys(operations: string, resembles: (sent: string, right: string) => boolean): ContractFault {
  return () => {
    let right: string | undefined
    return async (request, pass) => {
      const sent = headerOf(request.headers, 'Authorization') ?? ''
      const response = await pass(request)
      if (response.status === 200) right ??= sent
      const isWrong = response.status === 401 && isOf(request, operations) && hasKey(request) && sent !== right
      return isWrong && right !== undefined && resembles(sent, right) ? pass(withKey(request, right)) : response
    }
  }
}
const isCheckedLoosely = (sent: string, right: string) =>
  sent.length === right.length && sent.slice(0, -1) === right.slice(0, -1)

/** Changes a limit. */
const limiting = (operation: string, change: (limit: number) => number): ContractFault => ({
  on: operation,
  send: (request) => {
    const limit = parametersOf(request).getAll('limit').join()
    if (!/^[1-9]\d?$/.test(limit)) return request
    return changes.query((given) => given.set('limit', String(change(Number(limit)))))(request)
  },
})
const unlessRound = (limit: number) => ([1, 2, 3, 4, 5, 10, 20, 100].includes(limit) ? limit : limit + 1)

/** Keeps the first ETag of each address while `says` returns the same text for the response; by default, always. */
function keepingTags(on: string, says: (response: ServiceResponse) => string = () => ''): ContractFault {
  return () => {
    const tags = new Map<string, string>()
    return async (request, pass) => {
      if (!isOf(request, on)) return pass(request)
      const plain = await pass({ ...request, headers: request.headers.filter(([name]) => !/^If-/i.test(name)) })
      const current = headerOf(plain.headers, 'ETag')
      if (!current) return pass(request)
      const subject = request.target + says(plain)
      const kept = tags.get(subject) ?? current
      tags.set(subject, kept)
      const headers = request.headers.map(
        ([name, value]) => [name, /^If-/i.test(name) ? value.replaceAll(kept, current) : value] as const,
      )
      const response = await pass({ ...request, headers })
      return headerOf(response.headers, 'ETag') ? changes.header('ETag', kept)(response) : response
    }
  }
}
const idsAndLinks = ({ body, headers }: Awaited<ReturnType<Pass>>) =>
  `${body.toString().match(/"id":\d+/g)} ${headerOf(headers, 'Link')}`

const isBrokenJson = ({ body }: ClientRequest) => body.length > 0 && !isJson(body)
const withoutLimit = (parameters: URLSearchParams) => parameters.has('status') && !parameters.has('limit')
const isNothing = (request: ClientRequest, { body }: ServiceResponse) => isFiltered(request) && `${body}` === '[]'

/** Limits the list before it filters. */
const filteringLate: ContractFault = () => async (request, pass) => {
  if (!isOf(request, on.LIST) || !isFiltered(request)) return pass(request)
  const wanted = parametersOf(request).get('status')
  const response = await pass(changes.parameter('status', /./)(request))
  return changes.items((all) => all.filter((pet) => pet instanceof Map && pet.get('status') === wanted))(response)
}

const refusingNames: ContractFault = () => {
  const names = new Set<string>()
  return async (request, pass) => {
    const name = textOf(objectOf(request).get('name'))
    if (isOf(request, on.CREATE) && names.has(name)) return errorAnswer('pet_not_available')
    const response = await pass(request)
    if (isOf(request, on.CREATE) && response.status === 201) names.add(name)
    return response
  }
}

/** Uses the key of the first request for all requests on a connection. */
const stayingAuthorised: ContractFault = () => {
  const keys = new WeakMap<object, string>()
  return async (request, pass, client) => {
    const key = keys.get(client)
    const response = await pass(key === undefined ? request : withKey(request, key))
    if (response.status === 200 && hasKey(request)) keys.set(client, headerOf(request.headers, 'Authorization') ?? '')
    return response
  }
}

/** Adds a second pet with each create. */
const addingTwo: ContractFault = () => async (request, pass) => {
  const response = await pass(request)
  if (isOf(request, on.CREATE) && response.status === 201) await pass(request)
  return response
}

/** Uses the lowest 64 bits of integers beyond int64. */
const wrapping: changes.RequestChange = changes.each((object) => {
  const digits = textOf(object.get('categoryId'))
  if (/^-?\d+$/.test(digits)) object.set('categoryId', number(BigInt.asIntN(64, BigInt(digits))))
})
const replacing = (field: string, from: RegExp, to: string) =>
  changes.rewriteText(field, (text) => text.replaceAll(from, to))

/** Faults that the level `interface` alone must find. */
export const INTERFACE_CASES: ContractFaults = {
  'a list by status has no limit': {
    on: on.LIST,
    send: changes.query((all) => withoutLimit(all) && all.set('limit', '100')),
  },
  'a list by status has another default limit': {
    on: on.LIST,
    send: changes.query((all) => withoutLimit(all) && all.set('limit', '5')),
  },
  'a status that no pet has is null': {
    on: on.LIST,
    status: 200,
    when: isNothing,
    answer: () => jsonAnswer(200, null),
  },
  'limits a list before it filters by status': filteringLate,
  'a 401 of a create as a web page': { on: on.CREATE, status: 401, answer: page },
  'a 401 of a create with status 400': { on: on.CREATE, status: 401, answer: changes.put('status', number(400)) },
  'a 401 of a pet without a body': { on: on.ONE, status: 401, answer: empty },
  'a 401 in an envelope': { on: on.ONE, status: 401, answer: changes.json((error) => new Map([['error', error]])) },
  'a 400 of broken JSON without a body': { on: on.CREATE, status: 400, when: isBrokenJson, answer: empty },
  'limit is ignored after status': {
    on: on.LIST,
    send: (request) =>
      /status=.*&limit=/.test(request.target) ? changes.parameter('limit', /./, '100')(request) : request,
  },
  'status is ignored after limit': {
    on: on.LIST,
    send: (request) => (/limit=.*&status=/.test(request.target) ? changes.parameter('status', /./)(request) : request),
  },
  'each create adds two pets': addingTwo,
  'two spaces in a name become one': { on: on.CREATE, send: replacing('name', / {2,}/g, ' ') },
  'an id from the client is used': { on: on.CREATE, status: 201, answer: changes.echo('id') },
  'a second pet of the same name is 409': refusingNames,
  'a connection stays authorised': stayingAuthorised,
  'a key in the wrong case after its start': takingKeys(
    '*',
    (sent, right) => sent.slice(0, 12) === right.slice(0, 12) && sent.toLowerCase() === right.toLowerCase(),
  ),
  'an integer beyond int64 has its lowest 64 bits': { on: on.CREATE, send: wrapping },
  'a small negative integer has no sign': {
    on: on.PETS,
    answer: changes.rewrite('categoryId', (digits) => number(/^-\d{1,9}$/.test(digits) ? digits.slice(1) : digits)),
  },
  'a status in capitals is accepted': {
    on: on.CREATE,
    send: changes.rewriteText('status', (status) => status.toLowerCase()),
  },
}

/** Compares numbers of requests with one Idempotency-Key with 53 bits. */
const comparing53Bits: ContractFault = () => {
  const first = new Map<string, string>()
  const meaning = (request: ClientRequest) =>
    stringifyJson(new Map([...objectOf(request)].map(([name, value]) => [name, Number(textOf(value)) || value])))
  return async (request, pass) => {
    const key = isOf(request, on.CREATE) ? keyOf(request) : undefined
    if (key === undefined) return pass(request)
    const body = first.get(key)
    const isSame = body !== undefined && meaning({ ...request, body: Buffer.from(body) }) === meaning(request)
    if (body === undefined) first.set(key, request.body.toString())
    return pass(isSame ? { ...request, body: Buffer.from(body) } : request)
  }
}

/** Forgets a key before its third request. */
const twiceOnly: ContractFault = () => {
  const uses = new Map<string | undefined, number>()
  return async (request, pass) => {
    const before = uses.get(keyOf(request)) ?? 0
    if (before > 1 && isOf(request, on.CREATE)) return pass(changes.header('Idempotency-Key')(request))
    const response = await pass(request)
    if (isOf(request, on.CREATE) && response.status === 201) uses.set(keyOf(request), before + 1)
    return response
  }
}

/** Loses the first response after a mismatch. */
const lostByMismatch: ContractFault = () => {
  const lost = new Set<string | undefined>()
  return async (request, pass) => {
    if (lost.has(keyOf(request))) return errorAnswer('idempotency_mismatch')
    const response = await pass(request)
    if (response.status === 422) lost.add(keyOf(request))
    return response
  }
}

/** Keeps pets in a filtered list after the field was changed. */
const stale = (filter: string, field: string): ContractFault => {
  const idOf = (pet: Json) => (pet instanceof Map ? textOf(pet.get('id')) : '')
  return () => {
    const shown = new Map<string, Json[]>()
    const corrected = new Set<string>()
    return async (request, pass) => {
      const response = await pass(request)
      if (isOf(request, on.UPDATE) && response.status === 200 && objectOf(request).has(field))
        corrected.add(pathOf(request.target).split('/')[2] ?? '')
      if (!isOf(request, on.LIST) || response.status !== 200 || !parametersOf(request).has(filter)) return response
      return changes.items((all) => {
        const before = shown.get(request.target) ?? []
        shown.set(request.target, all)
        const ids = all.map(idOf)
        return [...before.filter((pet) => corrected.has(idOf(pet)) && !ids.includes(idOf(pet))), ...all]
      })(response)
    }
  }
}

const EXPIRES_LATE_MS = 5_000
/** Shows a completed order as changed when it was placed. */
const stillPlaced = changes.each((order) => {
  if (order.get('status') === 'completed') order.set('changedAt', order.get('placedAt') ?? null)
})
/** Shows a reservation as pending for a while after it has expired. */
const expiringLate: ContractFault = () => {
  const lateAt = new Map<string, number>()
  const stillPending = changes.each((order) => {
    if (order.get('status') !== 'expired') return
    const id = textOf(order.get('id'))
    if (!lateAt.has(id)) lateAt.set(id, Date.now() + EXPIRES_LATE_MS)
    if (Date.now() < (lateAt.get(id) ?? 0))
      order.set('status', 'pending').set('changedAt', order.get('placedAt') ?? null)
  })
  return behaviourOf({ on: `${on.ORDER}|${on.ORDERS}`, status: 200, answer: stillPending })
}
/** Sends a page of events only when `wait` has ended. Not in PLANTED, because a replay does not show it. */
export const wokenLate: ContractFault = () => async (request, pass) => {
  const waitMs = isOf(request, on.EVENTS) ? Number(parametersOf(request).get('wait')) * 1000 : 0
  const [response] = await Promise.all([pass(request), Bun.sleep(waitMs)])
  return response
}
const later = changes.rewrite('changedAt', (at) => new Date(Date.parse(at) + 1).toISOString())
const SPACES = /[\u00a0\u2000-\u200a\u2028\u2029\u3000\u0085\v\f]/g
const ofSeveral = (change: (values: string) => string) =>
  changes.header('If-Match', (values) => (values.includes(',') ? change(values) : values))

/** Faults in this project's additions to the interface. */
const OWN_CASES: ContractFaults = {
  'limit=7 gives 8 orders': limiting(on.ORDERS, unlessRound),
  'limit=7 gives 8 events': limiting(on.EVENTS, unlessRound),
  'limits from 64 to 98 give one more': limiting(on.LIST, (limit) => (limit >= 64 && limit <= 98 ? limit + 1 : limit)),
  'any key of the right form': takingKeys('*', (sent) => /^Bearer pets_(?:live|test)_\w{28}$/.test(sent)),
  'nothing after Bearer': takingKeys('*', (sent) => /^Bearer\s*$/.test(sent)),
  'a key whose last character is wrong, for one pet': takingKeys(on.ONE, isCheckedLoosely),
  'a read-only key fetches no order': refusingOthers(on.ORDER),
  'other white space in a name becomes a space': { on: on.CREATE, send: replacing('name', SPACES, ' ') },
  'U+FEFF in a name is removed': { on: on.CREATE, send: replacing('name', /\ufeff/g, '') },
  'a reference loses zero-width characters': { on: on.PLACE, send: replacing('reference', /\u200b/g, '') },
  'HEAD of events has another length': {
    on: 'HEAD /store/events',
    status: 200,
    answer: changes.header('Content-Length', '7'),
  },
  'the ETag of a list only depends on its ids': keepingTags(`${on.LIST}|HEAD /pets`, idsAndLinks),
  'the ETag of the inventory never changes': keepingTags(`${on.INVENTORY}|HEAD /store/inventory`),
  'a repeated return has another changedAt': secondTime(on.RETURN, later),
  'the third request under a key adds a pet': twiceOnly,
  'a mismatch loses the first response': lostByMismatch,
  'requests that differ beyond 53 bits are one': comparing53Bits,
  'only 64 characters of a key count': {
    on: `${on.CREATE}|${on.PLACE}`,
    send: changes.header('Idempotency-Key', (key) => key.replace(/^("\S{64})\S{1,191}"$/, '$1"')),
  },
  'a changed pet stays in its old category': stale('categoryId', 'categoryId'),
  'a changed pet stays in the list of its old status': stale('status', 'status'),
  'a completion does not change changedAt': { on: `${on.COMPLETE}|${on.ORDER}`, status: 200, answer: stillPlaced },
  'a reservation expires five seconds late': expiringLate,
  'several ETags in If-Match of a PATCH match anything': { on: on.UPDATE, send: ofSeveral(() => '*') },
  'only the last ETag in If-Match of a list counts': {
    on: on.LIST,
    send: ofSeveral((values) => values.replace(/^.*, */, '')),
  },
  'only the first ETag in If-Match of a completion counts': {
    on: on.COMPLETE,
    send: ofSeveral((values) => values.replace(/,.*$/, '')),
  },
}

export const PLANTED: ContractFaults = { ...INTERFACE_CASES, ...OWN_CASES }
