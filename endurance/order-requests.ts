// What the clients of the experiment with orders ask next, at random: orders of a few pets, and corrections of them; pets that are added,
// often by mistake, freed, renamed, ordered and deleted, all at once.

import type { Journal, Request } from './order-journal.ts'
import { between, pick } from './random.ts'

const RESERVED_MS = [5, 250] as const
/** Of the requests that are not repeats. */
const CORRECTED_SHARE = 0.3
/** How many of the pets that clients add are asked for: few, so that requests meet. */
const ADDED_PETS = 6

export class Requests {
  /** The order that holds each pet, as far as is known. */
  private readonly holders = new Map<number, number>()
  /** How each order was called when it was placed. */
  private readonly references = new Map<number, string>()
  private readonly added: number[] = []
  private count = 0

  constructor(
    private readonly journal: Journal,
    private readonly pets: readonly number[],
  ) {}

  next(): Request {
    const again = Math.random() < 0.1 ? pick(this.journal.keyed.slice(-200)) : undefined
    if (again) return again
    return Math.random() < CORRECTED_SHARE ? this.correction() : this.order(pick(this.anyPets()))
  }

  /** Call it with each answer of 2xx. */
  learn({ name, petId }: Request, status: number, text: string): void {
    if (status !== 201) return
    const { id } = JSON.parse(text) as { id: number }
    const [operation, called = ''] = name.split(' ')
    if (operation === 'add') {
      if (!this.added.includes(id)) this.added.push(id)
      return
    }
    this.holders.set(petId, id)
    this.references.set(id, called)
  }

  /** Call it when an answer names the order that holds a pet, even one whose placement was not answered. */
  learnHolder(petId: number, orderId: number): void {
    this.holders.set(petId, orderId)
  }

  private anyPets(): readonly number[] {
    return this.added.length > 0 && Math.random() < 0.25 ? this.added.slice(-ADDED_PETS) : this.pets
  }

  private order(petId: number): Request {
    const chance = Math.random()
    const holder = this.holders.get(petId)
    if (chance < 0.45 || holder === undefined) return this.placement(petId)
    const path = `/store/orders/${holder}`
    if (chance < 0.65) return { name: `complete ${holder}`, method: 'POST', path: `${path}/complete`, petId }
    if (chance < 0.82) return { name: `return ${holder}`, method: 'POST', path: `${path}/return`, petId }
    return { name: `cancel ${holder}`, method: 'DELETE', path, petId }
  }

  private placement(petId: number): Request {
    const withKey = Math.random() < 0.6
    const reference = `${withKey ? 'key' : 'once'}-${++this.count}`
    const ends = Math.random() < 0.5 ? { expiresAt: soon() } : {}
    const body = JSON.stringify({ petId, reference, ...ends })
    const request = { name: `place ${reference}`, method: 'POST', path: '/store/orders', body, petId } as const
    return withKey ? this.withKey(request, reference) : request
  }

  private correction(): Request {
    const chance = Math.random()
    const petId = pick(this.anyPets())
    if (chance < 0.35) return this.change(petId)
    if (chance < 0.6) return this.patch('rename', petId, `name-${++this.count}`)
    const mistaken = pick(this.added.slice(-ADDED_PETS))
    if (chance < 0.75 || mistaken === undefined) return this.addition()
    if (chance < 0.85) return this.patch('free', mistaken, `${++this.count}`)
    return { name: `delete ${mistaken}`, method: 'DELETE', path: `/pets/${mistaken}`, petId: mistaken }
  }

  private addition(): Request {
    const name = `pet-${++this.count}`
    const body = JSON.stringify({ name, categoryId: 1, status: pick(['available', 'pending', 'sold']) })
    const request = { name: `add ${name}`, method: 'POST', path: '/pets', body, petId: 0 } as const
    return Math.random() < 0.6 ? this.withKey(request, name) : request
  }

  private patch(operation: 'rename' | 'free', petId: number, what: string): Request {
    const body = JSON.stringify(operation === 'free' ? { status: 'available' } : { name: what })
    return { name: `${operation} ${petId} ${what}`, method: 'PATCH', path: `/pets/${petId}`, body, petId }
  }

  /** Of an order: always another reference, which begins with the first one, and often another end. */
  private change(petId: number): Request {
    const holder = this.holders.get(petId)
    const reference = holder === undefined ? undefined : this.references.get(holder)
    if (reference === undefined) return this.placement(petId)
    const change = ++this.count
    const ends = [{}, { expiresAt: null }, { expiresAt: soon() }, { expiresAt: soon() }]
    const body = JSON.stringify({ reference: `${reference}~${change}`, ...pick(ends) })
    return { name: `change ${holder} ${change}`, method: 'PATCH', path: `/store/orders/${holder}`, body, petId }
  }

  private withKey(request: Request, idempotencyKey: string): Request {
    const keyed = { ...request, idempotencyKey }
    this.journal.keyed.push(keyed)
    return keyed
  }
}

function soon(): string {
  return new Date(Date.now() + between(...RESERVED_MS)).toISOString()
}
