// Planted faults that only one kind of request, one value or one place shows.

import { type Json, stringifyJson } from '../../../contract/src/json.ts'
import * as changes from '../../../practice/src/contract-faults/shared/changes.ts'
import {
  behaviourOf,
  type ContractFault,
  type ContractFaults,
  errorAnswer,
  jsonAnswer,
} from '../../../practice/src/contract-faults/shared/faults.ts'
import { secondTime } from '../../../practice/src/contract-faults/shared/memory.ts'
import * as on from '../../../practice/src/contract-faults/shared/operations.ts'
import {
  hasKey,
  isFiltered,
  isOf,
  parametersOf,
  withKey,
} from '../../../practice/src/contract-faults/shared/requests.ts'
import { isJson, number, objectOf, rounded, textOf } from '../../../practice/src/contract-faults/shared/values.ts'
import type { ClientRequest, Pass, ServiceResponse } from '../../../practice/src/proxy.ts'
import { headerOf } from '../../src/headers.ts'
import { empty, page } from './answers.ts'
import { limiting, takingKeys } from './keys-and-lists.ts'

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

const isBrokenJson = ({ body }: ClientRequest) => body.length > 0 && !isJson(body)
const isBeyondInt64 = (digits: string) => /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits)
const isWithin53Bits = (digits: string) => rounded(digits).text === digits
const withoutLimit = (parameters: URLSearchParams) =>
  isFiltered({ target: `?${parameters}` } as ClientRequest) && !parameters.has('limit')
const isNothing = (request: ClientRequest, { body }: ServiceResponse) => isFiltered(request) && `${body}` === '[]'

/** Limits the list before it filters. */
const filteringLate: ContractFault = () => async (request, pass) => {
  if (!isOf(request, on.LIST) || !isFiltered(request)) return pass(request)
  const wanted = parametersOf(request).get('status')
  const response = await pass(changes.parameter('status', /./)(request))
  const isWanted = (pet: Json) => pet instanceof Map && pet.get('status') === wanted
  return changes.items((all) => all.filter(isWanted))(response)
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
  'a 401 of a create without a body, on the level interface': { on: on.CREATE, status: 401, answer: empty },
  'a 401 of a create as a web page': { on: on.CREATE, status: 401, answer: page },
  'a 401 of a create with status 400 in its body': {
    on: on.CREATE,
    status: 401,
    answer: changes.put('status', number(400)),
  },
  'a 401 of a pet without a body': { on: on.ONE, status: 401, answer: empty },
  'a 401 of a pet as a web page': { on: on.ONE, status: 401, answer: page },
  'a 401 of a pet in an envelope': {
    on: on.ONE,
    status: 401,
    answer: changes.json((error) => new Map([['error', error]])),
  },
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
  'two spaces in a name become one': {
    on: on.CREATE,
    send: changes.rewriteText('name', (name) => name.replaceAll(/ {2,}/g, ' ')),
  },
  'an id from the client is used': { on: on.CREATE, status: 201, answer: changes.echo('id') },
  'a second pet of the same name is 409': refusingNames,
  'a connection stays authorised': stayingAuthorised,
  'a key in the wrong case after its start': takingKeys(
    '*',
    (sent, right) => sent.slice(0, 12) === right.slice(0, 12) && sent.toLowerCase() === right.toLowerCase(),
  ),
  'an integer above int64 becomes negative': wrapping((digits) => !digits.startsWith('-')),
  'an integer below int64 becomes positive': wrapping((digits) => digits.startsWith('-')),
  'a small negative integer has no sign': {
    on: on.PETS,
    answer: changes.rewrite('categoryId', (digits) =>
      number(/^-\d{1,9}$/.test(digits) ? BigInt.asUintN(32, BigInt(digits)) : digits),
    ),
  },
  'a status in capitals is accepted': {
    on: on.CREATE,
    send: changes.rewriteText('status', (status) => status.toLowerCase()),
  },
}

/** Uses the lowest 64 bits of integers beyond int64. */
function wrapping(isMeant: (digits: string) => boolean): ContractFault {
  const isWrong = (digits: string) => isBeyondInt64(digits) && isMeant(digits)
  return {
    on: on.CREATE,
    send: changes.each((object) => {
      const digits = textOf(object.get('categoryId'))
      if (isWrong(digits)) object.set('categoryId', number(BigInt.asIntN(64, BigInt(digits))))
    }),
  }
}

/** Stores categories with 53 bits, but shows them as sent. */
const categoriesOf53Bits: ContractFault = () => {
  const sent = new Map<string, string>()
  const toService = (request: ClientRequest) =>
    changes.query((given) => {
      const digits = given.get('categoryId') ?? ''
      if (/^-?\d{16,19}$/.test(digits) && !isWithin53Bits(digits)) given.set('categoryId', near(digits))
    })(
      changes.each((pet) => {
        const digits = textOf(pet.get('categoryId'))
        if (/^-?\d{16,18}$/.test(digits)) pet.set('categoryId', number(near(digits)))
      })(request),
    )
  return async (request, pass) => {
    if (!isOf(request, on.PETS)) return pass(request)
    const response = await pass(toService(request))
    if (isOf(request, on.CREATE) && response.status === 201)
      sent.set(textOf(objectOf(response).get('id')), textOf(objectOf(request).get('categoryId')))
    return changes.each((pet) => {
      const digits = sent.get(textOf(pet.get('id')))
      if (digits !== undefined && pet.has('categoryId') && /^-?\d{16,18}$/.test(digits))
        pet.set('categoryId', number(digits))
    })(response)
  }
}
const near = (digits: string) => rounded(digits).text

/** Compares numbers of requests with one Idempotency-Key with 53 bits. */
const comparing53Bits: ContractFault = () => {
  const first = new Map<string, string>()
  const meaning = (request: ClientRequest) =>
    stringifyJson(new Map([...objectOf(request)].map(([name, value]) => [name, Number(textOf(value)) || value])))
  return async (request, pass) => {
    const key = isOf(request, on.CREATE) ? headerOf(request.headers, 'Idempotency-Key') : undefined
    if (key === undefined) return pass(request)
    const body = first.get(key)
    const isSame = body !== undefined && meaning({ ...request, body: Buffer.from(body) }) === meaning(request)
    if (body === undefined) first.set(key, request.body.toString())
    return pass(isSame ? { ...request, body: Buffer.from(body) } : request)
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
/** Sends a page of events only when `wait` has ended. */
const wokenLate: ContractFault = () => async (request, pass) => {
  const waitMs = isOf(request, on.EVENTS) ? Number(parametersOf(request).get('wait')) * 1000 : 0
  const [response] = await Promise.all([pass(request), Bun.sleep(waitMs)])
  return response
}
const later = () => changes.rewrite('changedAt', (at) => new Date(Date.parse(at) + 1).toISOString())
const idsAndLinks = ({ body, headers }: Awaited<ReturnType<Pass>>) =>
  `${body.toString().match(/"id":\d+/g)} ${headerOf(headers, 'Link')}`
const wherePresent = (change: (values: string) => string) => (value: string) =>
  value.includes(',') ? change(value) : value

/** Faults in this project's additions to the interface. */
export const OWN_CASES: ContractFaults = {
  'other white space in a name becomes a space': {
    on: on.CREATE,
    send: changes.rewriteText('name', (name) =>
      name.replaceAll(/[\u00a0\u2000-\u200a\u2028\u2029\u3000\u0085\v\f]/g, ' '),
    ),
  },
  'limits from 64 to 98 give one more': limiting(on.LIST, (limit) => (limit >= 64 && limit <= 98 ? limit + 1 : limit)),
  'HEAD of a list has another length': { on: 'HEAD /pets', status: 200, answer: changes.header('Content-Length', '2') },
  'HEAD of events has another length': {
    on: 'HEAD /store/events',
    status: 200,
    answer: changes.header('Content-Length', '7'),
  },
  'the ETag of a list only depends on its ids': keepingTags(`${on.LIST}|HEAD /pets`, idsAndLinks),
  'the ETag of the inventory never changes': keepingTags(`${on.INVENTORY}|HEAD /store/inventory`),
  'a repeated completion has another changedAt': secondTime(on.COMPLETE, later()),
  'a repeated return has another changedAt': secondTime(on.RETURN, later()),
  'categories beyond 53 bits are one': categoriesOf53Bits,
  'requests that differ beyond 53 bits are one': comparing53Bits,
  'a completion does not change changedAt': { on: `${on.COMPLETE}|${on.ORDER}`, status: 200, answer: stillPlaced },
  'a reservation expires five seconds late': expiringLate,
  'an event only arrives when wait ends': wokenLate,
  'several ETags in If-Match of a PATCH match anything': {
    on: on.UPDATE,
    send: changes.header(
      'If-Match',
      wherePresent(() => '*'),
    ),
  },
  'only the last ETag in If-Match of a list counts': {
    on: on.LIST,
    send: changes.header(
      'If-Match',
      wherePresent((values) => values.replace(/^.*, */, '')),
    ),
  },
  'only the first ETag in If-Match of a completion counts': {
    on: on.COMPLETE,
    send: changes.header(
      'If-Match',
      wherePresent((values) => values.replace(/,.*$/, '')),
    ),
  },
}
