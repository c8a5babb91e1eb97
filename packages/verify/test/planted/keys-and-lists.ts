// Planted faults: similar keys, uneven limits and page boundaries.

import * as answers from '../../../practice/src/contract-faults/shared/answer-changes.ts'
import {
  at,
  type ContractFault,
  type ContractFaults,
  errorAnswer,
} from '../../../practice/src/contract-faults/shared/faults.ts'
import { remembering } from '../../../practice/src/contract-faults/shared/memory.ts'
import { CREATE, EVENTS, LIST, ONE, ORDERS } from '../../../practice/src/contract-faults/shared/operations.ts'
import * as requests from '../../../practice/src/contract-faults/shared/request-changes.ts'
import {
  hasCursor,
  hasKey,
  isOf,
  parametersOf,
  pathOf,
  withKey,
} from '../../../practice/src/contract-faults/shared/requests.ts'
import { headerOf } from '../../../practice/src/messages.ts'
import type { ClientRequest } from '../../../practice/src/proxy.ts'

/** Accepts keys that resemble the first working key. */
export function takingKeys(operations: string, resembles: (sent: string, right: string) => boolean): ContractFault {
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

const isLonger = (sent: string, right: string) => sent.startsWith(right) && sent.length === right.length + 1
const isCheckedLoosely = (sent: string, right: string) =>
  sent.length === right.length && sent.slice(0, -1) === right.slice(0, -1)

const KEYS: ContractFaults = {
  'a key with an extra character': takingKeys('*', isLonger),
  'a key without its last character': takingKeys('*', (sent, right) => sent === right.slice(0, -1)),
  'a key with only the right start': takingKeys('*', (sent, right) => sent.slice(0, 24) === right.slice(0, 24)),
  'a key whose last character is wrong': takingKeys('*', isCheckedLoosely),
  'any key of the right form': takingKeys('*', (sent) => /^Bearer pets_(?:live|test)_\w{28}$/.test(sent)),
  'nothing after Bearer': takingKeys('*', (sent) => /^Bearer\s*$/.test(sent)),
  'a key in the wrong case': takingKeys('*', (sent, right) => sent.toLowerCase() === right.toLowerCase()),
  'a key with an extra character, for creates': takingKeys(CREATE, isLonger),
  'a key whose last character is wrong, for one pet': takingKeys(ONE, isCheckedLoosely),
}

const always = (_: ClientRequest) => true

/** Changes a limit. */
export const limiting = (operation: string, change: (limit: number) => number, when = always): ContractFault =>
  at(operation).onRequest((request) => {
    const limit = parametersOf(request).getAll('limit').join()
    if (!/^[1-9]\d?$/.test(limit) || !when(request)) return request
    return requests.query((given) => given.set('limit', String(change(Number(limit)))))(request)
  })
const hasParameter = (name: string) => (request: ClientRequest) => parametersOf(request).has(name)
const unlessRound = (limit: number) => ([1, 2, 3, 4, 5, 10, 20, 100].includes(limit) ? limit : limit + 1)

const LIMITS: ContractFaults = {
  'limit=7 gives 8': limiting(LIST, unlessRound),
  'limit=50 is refused': at(LIST).refusing((one) => parametersOf(one).get('limit') === '50', 400, 'invalid_parameter'),
  'with a status, one more than the limit': limiting(LIST, (limit) => Math.min(limit + 1, 100), hasParameter('status')),
  'with sort=newest, limit is ignored': limiting(LIST, () => 100, hasParameter('sort')),
  'limit=7 gives 8 orders': limiting(ORDERS, unlessRound),
  'limit=7 gives 8 events': limiting(EVENTS, unlessRound),
}

const isNewest = (request: ClientRequest) => parametersOf(request).get('sort') === 'newest'

/** Implements cursors as offsets. */
function countingPages(operation: string, when: (request: ClientRequest) => boolean): ContractFault {
  return () => {
    const places = new Map<string, number>()
    return async (request, pass) => {
      const response = await pass(request)
      if (!isOf(request, operation) || response.status !== 200 || !when(request)) return response
      const cursor = parametersOf(request).get('cursor')
      const before = cursor === null ? 0 : places.get(cursor)
      const limit = Number(parametersOf(request).get('limit') ?? 20)
      if (before === undefined) return response
      const [, next] = /cursor=([\w-]+)[^>]*>; rel="next"/.exec(headerOf(response.headers, 'Link') ?? '') ?? []
      if (next !== undefined) places.set(next, before + limit)
      if (cursor === null || before + limit > 100) return response
      const whole = await pass(
        requests.query((given) => {
          given.delete('cursor')
          given.set('limit', '100')
        })(request),
      )
      return { ...response, body: answers.items((all) => all.slice(before, before + limit))(whole, request).body }
    }
  }
}

/** Refuses the cursor of a page whose last pet was deleted. */
const refusingBorder = remembering(
  () => ({ borders: new Map<string, string>(), deleted: new Set<string>() }),
  ({ borders, deleted }, request, response) => {
    if (isOf(request, 'DELETE /pets/*') && response.status === 204)
      deleted.add(pathOf(request.target).split('/')[2] ?? '')
    if (!isOf(request, LIST)) return
    const [, next] = /cursor=([\w-]+)[^>]*>; rel="next"/.exec(headerOf(response.headers, 'Link') ?? '') ?? []
    const [, last] = /"id":(\d+)(?!.*"id":)/.exec(response.body.toString()) ?? []
    if (next !== undefined && last !== undefined) borders.set(next, last)
    const border = borders.get(parametersOf(request).get('cursor') ?? '')
    return deleted.has(border ?? '') ? errorAnswer(400, 'invalid_parameter') : undefined
  },
)

const isLaterOfNewest = (request: ClientRequest) => hasCursor(request) && isNewest(request)
const later = (operation: string, change: Parameters<typeof answers.items>[0]): ContractFault =>
  at(operation, 200, isLaterOfNewest).answer.items(change)

const PAGES: ContractFaults = {
  'pages are offsets: a deletion moves them': countingPages(LIST, (request) => !isNewest(request)),
  'pages of newest are offsets: a create moves them': countingPages(LIST, isNewest),
  'the second page of newest misses one': later(LIST, (all) => all.slice(1)),
  'the second page of newest is oldest first': later(LIST, (all) => all.toReversed()),
  'the second page of newest orders misses one': later(ORDERS, (all) => all.slice(1)),
  'the cursor after a deleted pet is refused': refusingBorder,
}

export const LISTS_PLANTED: ContractFaults = { ...KEYS, ...LIMITS, ...PAGES }
