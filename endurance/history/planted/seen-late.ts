// What is seen too late, or by one server of two.

import { at, type ContractFault } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { isOf } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { ClientRequest, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import {
  answered,
  type Body,
  type Faults,
  instead,
  isRead,
  json,
  keyOf,
  knowing,
  remembered,
  serverOf,
  sometimes,
  tagged,
  target,
  withBody,
} from './fault.ts'

const LISTS = `${on.LIST}|${on.ORDERS}|${on.INVENTORY}`
const ALL = `${LISTS}|${on.ONE}|${on.ORDER}`
const never = () => false
type Ends = (written: ClientRequest, kept: ClientRequest) => boolean

/** Reads are answered again for so long, unless what has happened since ends that. */
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

/** The answer before the last one, while it is young. */
const before = (operation: string) =>
  remembered(operation, () => {
    const kept = new Map<string, [now: ServiceResponse, before: ServiceResponse]>()
    return async (request, pass) => {
      const response = await pass(request)
      if (response.status !== 200) return response
      const [now = response, older = response] = kept.get(request.target) ?? []
      const pair: [ServiceResponse, ServiceResponse] = now.body.equals(response.body) ? [now, older] : [response, now]
      kept.set(request.target, pair)
      return pair[1]
    }
  })

/** Lists have another tag. */
const retagging = (tagOf: (text: string) => string) =>
  at(LISTS, 200).onResponse((response) => tagged(response, tagOf(`${response.body}`)))
const withoutWait = ({ target, ...rest }: ClientRequest) => ({ ...rest, target: target.replace(/&wait=\d+/, '') })

export const SEEN_LATE: Faults = {
  'a list that is one commit old': before(on.LIST),
  'the inventory of the commit before': before(on.INVENTORY),
  'an order as it was when it was last read': before(on.ORDER),
  'commits of the other server unseen': cached(LISTS, 500, (written, kept) => serverOf(written) === serverOf(kept)),
  'own commits unseen': cached(ALL, 100, (written, kept) => serverOf(written) !== serverOf(kept)),
  'one server of two that is behind': cached(ALL, 60, never, [1]),
  'an answer shared with whoever asks while it is read': remembered(ALL, () => {
    const reading = new Map<string, Promise<ServiceResponse>>()
    return (request, pass) => {
      const name = `${serverOf(request)} ${request.target} ${keyOf(request)}`
      const read = async () => {
        try {
          const response = await pass(request)
          await Bun.sleep(20)
          return response
        } finally {
          reading.delete(name)
        }
      }
      const shared = reading.get(name) ?? read()
      reading.set(name, shared)
      return shared
    }
  }),
  'events that come after their commit': answered(on.EVENTS, (rows: Body[]) => {
    const end = rows.findIndex(({ at }) => Date.now() - Date.parse(at) < 60)
    return end < 0 ? rows : rows.slice(0, end)
  }),
  'an expiry that is seen before it is committed': answered(on.ORDER, (body) =>
    body.status === 'pending' && Date.parse(body.expiresAt) <= Date.now() ? { ...body, status: 'expired' } : body,
  ),
  'a search that lacks the newest': remembered(`${on.LIST}|${on.CREATE}`, () => {
    const since = new Map<number, number>()
    return async (request, pass) => {
      const response = await pass(request)
      if (response.status === 201) since.set(json(response).id, performance.now())
      if (response.status !== 200 || !/search=/.test(request.target)) return response
      const isOld = ({ id }: Body) => performance.now() - (since.get(id) ?? 0) > 150
      return withBody(response, json(response).filter(isOld))
    }
  }),
  'a search by former names': () => {
    const behave = cached(on.LIST, 300, never)()
    return (request, pass, client) => (/search=/.test(request.target) ? behave(request, pass, client) : pass(request))
  },
  'the name that a pet had when it was ordered': () => {
    const names = new Map<number, string>()
    const fault = answered(on.ORDER, (order) => {
      names.set(order.id, names.get(order.id) ?? order.petName)
      return { ...order, petName: names.get(order.id) }
    })
    return fault()
  },
  'a 304 for a changed list': retagging((text) => `"${text.length}"`),
  'a 304 with the tag that was sent': sometimes(
    0.2,
    knowing(([sent]) => sent),
  ),
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
  'a wait that ends at once': target(on.EVENTS, (path) => path.replace(/&wait=\d+/, '')),
}
