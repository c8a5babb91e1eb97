// Answers that differ from their requests.

import {
  answer,
  answered,
  asked,
  type Body,
  both,
  current,
  type Fault,
  idOf,
  json,
  type Making,
  of,
  operationOf,
  shifted,
  withBody,
} from './fault.ts'

/** Shown as if it had been kept. */
const remembered =
  (operations: string, field: string, forget: (body: Body) => Body): Making =>
  () => {
    const kept = new Map<number, unknown>()
    return async (sent, pass) => {
      const body = sent.body === undefined ? undefined : JSON.parse(sent.body)
      const isMeant = operations.includes(operationOf(sent)) && body?.[field]
      const received = await pass(isMeant ? { ...sent, body: JSON.stringify(forget(body)) } : sent)
      if (received.status >= 300 || received.text === '' || !/order|pets/.test(sent.path)) return received
      const shown = json(received)
      if (isMeant) kept.set(shown.id, body[field])
      const show = (row: Body) => (kept.has(row.id) && 'placedAt' in row ? { ...row, [field]: kept.get(row.id) } : row)
      return withBody(received, Array.isArray(shown) ? shown.map(show) : show(shown))
    }
  }

const without = (name: string) => (body: Body) => ({ ...body, [name]: undefined })

function currentReplay(operation: string): Fault {
  return of(operation, async (sent, pass) => {
    const received = await pass(sent)
    if (!received.headers.has('Idempotency-Replayed')) return received
    const now = await current({ ...sent, path: `${sent.path}/${json(received).id}` }, pass)
    return now.status === 200 ? withBody(received, json(now)) : received
  })
}

function untagged(operations: string): Fault {
  return of(operations, async (sent, pass) => {
    const received = await pass(sent)
    const headers = new Headers(received.headers)
    headers.delete('ETag')
    return { ...received, headers }
  })
}

export const DIFFERENT: Readonly<Record<string, Making>> = {
  'a second buyer gets the order of the first': () =>
    of('placeOrder', async (sent, pass) => {
      const received = await pass(sent)
      const holder = received.status === 409 && /order (\d+)/.exec(received.text)?.[1]
      if (!holder) return received
      const first = await current({ ...sent, path: `/store/orders/${holder}` }, pass)
      return answer(201, json(first))
    }),
  'another category is stored': asked('createPet', (body) => ({ ...body, categoryId: 1 + (body.categoryId % 3) })),
  'another category is stored than is answered': both(
    asked('createPet', (body) => ({ ...body, categoryId: 1 + (body.categoryId % 3) })),
    answered('createPet', (body) => ({ ...body, categoryId: 1 + ((body.categoryId + 1) % 3) })),
  ),
  'an end that is dropped': asked('placeOrder', without('expiresAt')),
  'an end that is dropped, and answered': remembered('placeOrder', 'expiresAt', without('expiresAt')),
  'an end a second late': asked('placeOrder', (body) =>
    body.expiresAt ? { ...body, expiresAt: shifted(body.expiresAt, 1000) } : body,
  ),
  'half of a reference': asked('placeOrder', (body) => ({ ...body, reference: body.reference.split(' ')[0] })),
  'the next pet is reserved': asked('placeOrder', (body) => ({ ...body, petId: body.petId + 1 }), 0.3),
  'the status of a new pet is ignored': asked('createPet', without('status')),
  'of two fields the first is changed': asked('updatePet', (body) =>
    Object.fromEntries(Object.entries(body).slice(0, 1)),
  ),
  'an end that should go is kept': asked('updateOrder', (body) =>
    body.expiresAt === null && body.reference !== undefined ? without('expiresAt')(body) : body,
  ),
  'the next pet is shown': () => of('getPet', (sent, pass) => pass({ ...sent, path: `/pets/${idOf(sent) + 1}` }), 0.2),
  'the counts of two statuses are exchanged': answered('getInventory', ({ available, pending, sold }) => ({
    available,
    pending: sold,
    sold: pending,
  })),
  'the order as it was before it was completed': answered('completeOrder', (body) => ({ ...body, status: 'pending' })),
  'a replay that shows the pet as it is now': () => currentReplay('createPet'),
  'a replay that shows the order as it is now': () => currentReplay('placeOrder'),
  'a pet that is added without its tag': () => untagged('createPet placeOrder'),
  'a move without its tag': () => untagged('completeOrder returnOrder'),
  'a filter that is ignored': () =>
    of('listPets', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&categoryId=\d/, '') })),
  'a filter beside a search that is ignored': () =>
    of('listPets listOrders', (sent, pass) =>
      pass(/search=/.test(sent.path) ? { ...sent, path: sent.path.replace(/&status=\w+/, '') } : sent),
    ),
}
