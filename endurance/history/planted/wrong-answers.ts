// Planted faults of responses: they differ from their requests, or show commits too late or on only one server.

import * as changes from '../../../packages/practice/src/contract-faults/shared/changes.ts'
import {
  behaviourOf,
  type ContractFault,
  type Fault,
} from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import { remembering } from '../../../packages/practice/src/contract-faults/shared/memory.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { isOf } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { ClientRequest, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import {
  answered,
  asked,
  type Body,
  both,
  current,
  ending,
  type Faults,
  idOf,
  instead,
  isDone,
  isRead,
  isReplay,
  json,
  keyOf,
  knowing,
  serverOf,
  sometimes,
  tagged,
  target,
  withBody,
} from './fault.ts'

const without = (name: string) => (body: Body) => ({ ...body, [name]: undefined })

/** Drops a field from the request, but shows it in responses. */
const forgotten =
  (operations: string, field: string): ContractFault =>
  () => {
    const kept = new Map<number, unknown>()
    return async (request, pass) => {
      const value = isOf(request, operations) ? json(request)[field] : undefined
      const response = await pass(value ? withBody(request, without(field)(json(request))) : request)
      if (!isDone(response) || response.body.length === 0 || !/order|pets/.test(request.target)) return response
      const shown = json(response)
      if (value) kept.set(shown.id, value)
      const show = (row: Body) => (kept.has(row.id) && 'placedAt' in row ? { ...row, [field]: kept.get(row.id) } : row)
      return withBody(response, Array.isArray(shown) ? shown.map(show) : show(shown))
    }
  }

const currentReplay = (operation: string): Fault => ({
  on: operation,
  when: (_, response) => isReplay(response),
  answer: async (response, request, pass) => {
    const now = await current(request, pass, `${request.target}/${json(response).id}`)
    return now.status === 200 ? withBody(response, json(now)) : response
  },
})
const otherCategory = (by: number) => (body: Body) => ({ ...body, categoryId: 1 + ((body.categoryId + by) % 3) })

export const DIFFERENT: Faults = {
  'a second buyer gets the order of the first': {
    on: on.PLACE,
    status: 409,
    answer: async (response, request, pass) => {
      const holder = /order (\d+)/.exec(`${response.body}`)?.[1]
      return holder ? { ...(await current(request, pass, `${request.target}/${holder}`)), status: 201 } : response
    },
  },
  'another category is stored': asked(on.CREATE, otherCategory(0)),
  'another category is stored than is answered': both(
    asked(on.CREATE, otherCategory(0)),
    answered(on.CREATE, otherCategory(1)),
  ),
  'an end that is dropped': asked(on.PLACE, without('expiresAt')),
  'an end that is dropped, and answered': forgotten(on.PLACE, 'expiresAt'),
  'an end a second late': asked(on.PLACE, ending(1_000)),
  'half of a reference': asked(on.PLACE, (body) => ({ ...body, reference: body.reference.split(' ')[0] })),
  'the next pet is reserved': sometimes(0.3)(asked(on.PLACE, (body) => ({ ...body, petId: body.petId + 1 }))),
  'the status of a new pet is ignored': asked(on.CREATE, without('status')),
  'of two fields the first is changed': asked(on.UPDATE, (body) =>
    Object.fromEntries(Object.entries(body).slice(0, 1)),
  ),
  'an end that should go is kept': asked(on.CHANGE, (body) =>
    body.expiresAt === null && body.reference !== undefined ? without('expiresAt')(body) : body,
  ),
  'the next pet is shown': sometimes(0.2)(target(on.ONE, (_, request) => `/v1/pets/${idOf(request) + 1}`)),
  'the counts of two statuses are exchanged': answered(on.INVENTORY, ({ available, pending, sold }) => ({
    available,
    pending: sold,
    sold: pending,
  })),
  'the order as it was before it was completed': answered(on.COMPLETE, (body) => ({ ...body, status: 'pending' })),
  'a replay that shows the pet as it is now': currentReplay(on.CREATE),
  'a replay that shows the order as it is now': currentReplay(on.PLACE),
  'a pet that is added without its tag': { on: `${on.CREATE}|${on.PLACE}`, answer: changes.header('ETag') },
  'a move without its tag': { on: `${on.COMPLETE}|${on.RETURN}`, answer: changes.header('ETag') },
  'a filter that is ignored': target(on.LIST, (path) => path.replace(/&categoryId=\d/, '')),
  'a filter beside a search that is ignored': target(`${on.LIST}|${on.ORDERS}`, (path) =>
    /search=/.test(path) ? path.replace(/&status=\w+/, '') : path,
  ),
}

const LISTS = `${on.LIST}|${on.ORDERS}|${on.INVENTORY}`
const ALL = `${LISTS}|${on.ONE}|${on.ORDER}`
const never = () => false
type Ends = (written: ClientRequest, kept: ClientRequest) => boolean

/** Repeats responses to reads for `ms`, unless a write ends that. */
function cached(operations: string, ms: number, ends: Ends, servers = [0, 1]): ContractFault {
  return () => {
    const kept = new Map<string, { response: ServiceResponse; request: ClientRequest; until: number }>()
    return async (request, pass) => {
      const isMeant = isOf(request, operations) && servers.includes(serverOf(request))
      const name = `${serverOf(request)} ${request.target}`
      const found = isMeant ? kept.get(name) : undefined
      if (found && found.until > performance.now()) return found.response
      const response = await pass(request)
      if (isMeant && response.status === 200) kept.set(name, { response, request, until: performance.now() + ms })
      if (!isRead(request)) for (const [key, one] of kept) if (ends(request, one.request)) kept.delete(key)
      return response
    }
  }
}

/** Returns the response before the last one. */
const before = (operation: string) =>
  remembering(
    () => new Map<string, [now: ServiceResponse, before: ServiceResponse]>(),
    (kept, request, response) => {
      if (!isOf(request, operation) || response.status !== 200) return response
      const [now = response, older = response] = kept.get(request.target) ?? []
      kept.set(request.target, now.body.equals(response.body) ? [now, older] : [response, now])
      return kept.get(request.target)?.[1]
    },
  )

/** Replaces the tags of lists. */
const retagging = (tagOf: (text: string) => string): Fault => ({
  on: LISTS,
  status: 200,
  answer: (response) => tagged(response, tagOf(`${response.body}`)),
})
const withoutWait = ({ target, ...rest }: ClientRequest) => ({ ...rest, target: target.replace(/&wait=\d+/, '') })

export const SEEN_LATE: Faults = {
  'a list that is one commit old': before(on.LIST),
  'the inventory of the commit before': before(on.INVENTORY),
  'an order as it was when it was last read': before(on.ORDER),
  'commits of the other server unseen': cached(LISTS, 500, (written, kept) => serverOf(written) === serverOf(kept)),
  'own commits unseen': cached(ALL, 100, (written, kept) => serverOf(written) !== serverOf(kept)),
  'one server of two that is behind': cached(ALL, 60, never, [1]),
  'an answer shared with whoever asks while it is read': () => {
    const reading = new Map<string, Promise<ServiceResponse>>()
    return instead(ALL, (request, pass) => {
      const name = `${serverOf(request)} ${request.target} ${keyOf(request)}`
      const read = async () => {
        const response = await pass(request)
        await Bun.sleep(20)
        return response
      }
      const shared = reading.get(name) ?? read().finally(() => reading.delete(name))
      reading.set(name, shared)
      return shared
    })()
  },
  'events that come after their commit': answered(on.EVENTS, (rows: Body[]) => {
    const end = rows.findIndex(({ at }) => Date.now() - Date.parse(at) < 60)
    return end < 0 ? rows : rows.slice(0, end)
  }),
  'an expiry that is seen before it is committed': answered(on.ORDER, (body) =>
    body.status === 'pending' && Date.parse(body.expiresAt) <= Date.now() ? { ...body, status: 'expired' } : body,
  ),
  'a search that lacks the newest': remembering(
    () => new Map<number, number>(),
    (since, request, response) => {
      if (isOf(request, on.CREATE) && response.status === 201) since.set(json(response).id, performance.now())
      if (!isOf(request, on.LIST) || response.status !== 200 || !/search=/.test(request.target)) return response
      const isOld = ({ id }: Body) => performance.now() - (since.get(id) ?? 0) > 150
      return withBody(response, json(response).filter(isOld))
    },
  ),
  'a search by former names': () => {
    const behave = behaviourOf(cached(on.LIST, 300, never))
    return (request, pass, client) => (/search=/.test(request.target) ? behave(request, pass, client) : pass(request))
  },
  'the name that a pet had when it was ordered': () => {
    const names = new Map<number, string>()
    return behaviourOf(
      answered(on.ORDER, (order) => {
        names.set(order.id, names.get(order.id) ?? order.petName)
        return { ...order, petName: names.get(order.id) }
      }),
    )
  },
  'a 304 for a changed list': retagging((text) => `"${text.length}"`),
  'a 304 with the tag that was sent': sometimes(0.2)(knowing(([sent]) => sent)),
  'a 304 with the tag of a changed answer': knowing((_, tag) => tag),
  'a 200 for what is known': knowing(() => undefined),
  'of two tags that are known the first': knowing(([first], tag) => (first === tag ? tag : undefined)),
  'a tag without the links': retagging((text) => `"${Bun.hash(text)}"`),
  'a wait that sleeps': instead(on.EVENTS, async (request, pass) => {
    const seconds = Number(/&wait=(\d+)/.exec(request.target)?.[1] ?? 0)
    const response = await pass(withoutWait(request))
    if (`${response.body}` === '[]') await Bun.sleep(1_000 * seconds)
    return response
  }),
  'a wait that ends at once': { on: on.EVENTS, send: withoutWait },
}
