// Answers that differ from their requests.

import { at, type ContractFault } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { isOf } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import { headerOf } from '../../../packages/practice/src/messages.ts'
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
  json,
  sometimes,
  target,
  withBody,
} from './fault.ts'

const without = (name: string) => (body: Body) => ({ ...body, [name]: undefined })

/** Shown as if it had been kept. */
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

const currentReplay = (operation: string) =>
  instead(operation, async (request, pass) => {
    const response = await pass(request)
    if (headerOf(response.headers, 'Idempotency-Replayed') === undefined) return response
    const now = await current(request, pass, `${request.target}/${json(response).id}`)
    return now.status === 200 ? withBody(response, json(now)) : response
  })
const otherCategory = (by: number) => (body: Body) => ({ ...body, categoryId: 1 + ((body.categoryId + by) % 3) })

export const DIFFERENT: Faults = {
  'a second buyer gets the order of the first': instead(on.PLACE, async (request, pass) => {
    const response = await pass(request)
    const holder = response.status === 409 && /order (\d+)/.exec(`${response.body}`)?.[1]
    return holder ? { ...(await current(request, pass, `${request.target}/${holder}`)), status: 201 } : response
  }),
  'another category is stored': asked(on.CREATE, otherCategory(0)),
  'another category is stored than is answered': both(
    asked(on.CREATE, otherCategory(0)),
    answered(on.CREATE, otherCategory(1)),
  ),
  'an end that is dropped': asked(on.PLACE, without('expiresAt')),
  'an end that is dropped, and answered': forgotten(on.PLACE, 'expiresAt'),
  'an end a second late': asked(on.PLACE, ending(1_000)),
  'half of a reference': asked(on.PLACE, (body) => ({ ...body, reference: body.reference.split(' ')[0] })),
  'the next pet is reserved': sometimes(
    0.3,
    asked(on.PLACE, (body) => ({ ...body, petId: body.petId + 1 })),
  ),
  'the status of a new pet is ignored': asked(on.CREATE, without('status')),
  'of two fields the first is changed': asked(on.UPDATE, (body) =>
    Object.fromEntries(Object.entries(body).slice(0, 1)),
  ),
  'an end that should go is kept': asked(on.CHANGE, (body) =>
    body.expiresAt === null && body.reference !== undefined ? without('expiresAt')(body) : body,
  ),
  'the next pet is shown': sometimes(
    0.2,
    target(on.ONE, (_, request) => `/v1/pets/${idOf(request) + 1}`),
  ),
  'the counts of two statuses are exchanged': answered(on.INVENTORY, ({ available, pending, sold }) => ({
    available,
    pending: sold,
    sold: pending,
  })),
  'the order as it was before it was completed': answered(on.COMPLETE, (body) => ({ ...body, status: 'pending' })),
  'a replay that shows the pet as it is now': currentReplay(on.CREATE),
  'a replay that shows the order as it is now': currentReplay(on.PLACE),
  'a pet that is added without its tag': at(`${on.CREATE}|${on.PLACE}`).answer.header('ETag'),
  'a move without its tag': at(`${on.COMPLETE}|${on.RETURN}`).answer.header('ETag'),
  'a filter that is ignored': target(on.LIST, (path) => path.replace(/&categoryId=\d/, '')),
  'a filter beside a search that is ignored': target(`${on.LIST}|${on.ORDERS}`, (path) =>
    /search=/.test(path) ? path.replace(/&status=\w+/, '') : path,
  ),
}
