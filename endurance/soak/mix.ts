// The requests of the soak: everything that the service has, each with the statuses that are correct.

import { BODY_BYTES_MAX } from '../../packages/contract/src/limits.ts'
import { pick } from '../random.ts'

export type Ask = RequestInit & { path: string }

/** What the clients know: how many pets they have added, so that each has its own name, and the last orders and places in the feed. */
export class Inventory {
  added = 0
  /** The path behind the base address at which the feed goes on. */
  feed = '/store/events?limit=50'
  private readonly orders: number[] = []

  pet(): string {
    return JSON.stringify({
      name: `pet ${this.added++}`,
      categoryId: this.added,
      status: this.added % 9 ? 'available' : 'sold',
    })
  }

  /** One that probably is there. */
  get petId(): number {
    return 1 + Math.floor(Math.random() * this.added)
  }

  get orderId(): number {
    return pick(this.orders) ?? 1
  }

  /** Call it with each answer. */
  learn(path: string, response: Response, text: string): void {
    if (path === '/store/orders' && response.status === 201) this.orders.unshift(JSON.parse(text).id)
    this.orders.splice(ORDERS_KEPT)
    if (path.startsWith('/store/events')) {
      this.feed = /<\/v1([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1] ?? this.feed
    }
  }
}

const ORDERS_KEPT = 100
const RESERVED_MS_MAX = 20_000

/** How many in a hundred, the statuses that are correct, and how each is made. */
const MIX: readonly [share: number, statuses: number[], ask: (inventory: Inventory) => Ask][] = [
  [25, [200], () => ({ path: '/pets' })],
  [10, [200], ({ added }) => ({ path: `/pets?limit=${1 + (added % 100)}&status=sold` })],
  [5, [200], () => ({ path: '/pets?sort=newest&limit=50' })],
  [5, [200], ({ petId }) => ({ path: `/pets?limit=10&search=pet+${petId}` })],
  [8, [200, 404], ({ petId }) => ({ path: `/pets/${petId}` })],
  [3, [200], () => ({ path: '/store/inventory' })],
  [4, [200], () => ({ path: '/store/orders?sort=newest' })],
  [4, [200], ({ feed }) => ({ path: `${feed}&wait=1` })],
  [8, [201], (inventory) => post('/pets', inventory.pet())],
  [4, [201], (inventory) => ({ ...post('/pets', inventory.pet()), headers: idempotent(crypto.randomUUID()) })],
  [6, [201, 404, 409], ({ petId }) => post('/store/orders', JSON.stringify({ petId, ...ends() }))],
  [2, [200, 404, 409], ({ orderId }) => ({ path: `/store/orders/${orderId}/complete`, method: 'POST' })],
  [1, [200, 404, 409], ({ orderId }) => ({ path: `/store/orders/${orderId}/return`, method: 'POST' })],
  [1, [204, 404, 409], ({ orderId }) => ({ path: `/store/orders/${orderId}`, method: 'DELETE' })],
  [2, [200, 404], ({ petId, added }) => patch(`/pets/${petId}`, { name: `pet ${petId} corrected ${added}` })],
  [1, [200, 404, 409], ({ orderId, added }) => patch(`/store/orders/${orderId}`, { reference: `corrected ${added}` })],
  [1, [204, 404, 409], ({ petId }) => ({ path: `/pets/${petId}`, method: 'DELETE' })],
  [3, [400], () => post('/pets', '{"name":""}')],
  [3, [400], () => ({ path: '/pets?limit=0' })],
  [2, [401], () => ({ path: '/pets', headers: { Authorization: 'Bearer no' } })],
  [1, [404], () => ({ path: '/nothing' })],
  [1, [413], () => post('/pets', 'x'.repeat(BODY_BYTES_MAX + 1))],
]

export function next(inventory: Inventory): [number[], Ask] {
  let left = Math.random() * 100
  for (const [share, statuses, ask] of MIX) {
    left -= share
    if (left < 0) return [statuses, ask(inventory)]
  }
  return [[200], { path: '/pets' }]
}

function post(path: string, body: string): Ask {
  return { path, method: 'POST', body }
}

function patch(path: string, body: object): Ask {
  return { path, method: 'PATCH', body: JSON.stringify(body) }
}

/** Every other order is a reservation that ends. */
function ends(): { expiresAt?: string } {
  if (Math.random() < 0.5) return {}
  return { expiresAt: new Date(Date.now() + 1_000 + Math.random() * RESERVED_MS_MAX).toISOString() }
}

function idempotent(key: string): Record<string, string> {
  return { 'Idempotency-Key': `"${key}"` }
}
