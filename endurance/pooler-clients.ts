// Clients that compare each answer with what they asked for: pets with names of their own, orders of these pets, corrections and lists of both.

import { Journal } from './order-journal.ts'
import { listedPets } from './pages.ts'

/** After this long of nothing but 503, a request counts as stuck. */
const STUCK_MS = 20_000
const PAUSE_MS = 20
/** Doubled each time that an order came too late for it. */
const RESERVED_MS = 500
/** Of a pet that is about to be corrected. */
const MISSPELT = ' misspelt'
/** The sweep runs once a second; the rest is for a busy machine. */
const EXPIRED_MS_MAX = 20_000

interface Order {
  id: number
  petId: number
  petName: string
  status: string
  reference: string
}

interface Answer {
  status: number
  text: string
  next: string | undefined
}

export class Shop {
  readonly counts = { creates: 0, orders: 0, moves: 0, corrections: 0, expiries: 0, reads: 0 }
  readonly faults: string[] = []
  readonly journal = new Journal()
  unavailable = 0
  longestMs = 0
  /** By id. */
  private readonly names = new Map<number, string>()
  private readonly placed = new Map<number, Order>()
  private reservedMs = RESERVED_MS
  private closed = false

  constructor(private readonly key: string) {}

  close(): void {
    this.closed = true
  }

  /** Adds pets and orders each, until the shop is closed and each thing was done once. What becomes of the first order depends on `way`. */
  async buy(url: string, buyer: string, way: number): Promise<void> {
    for (let n = 0; !this.closed || Object.values(this.counts).includes(0); n++) {
      try {
        await this.buyOne(url, `${buyer}-${n}`, (way + n) % 4)
      } catch (error) {
        this.faults.push((error as Error).message)
      }
    }
  }

  /** Reads pages, single pets and orders, and the inventory, until the shop is closed. */
  async read(url: string): Promise<void> {
    for (let n = 0; !this.closed; n++) {
      try {
        await ([this.readPets, this.readPet, this.readOrders, this.readInventory][n % 4] as typeof this.readPets)(url)
        this.counts.reads++
      } catch (error) {
        this.faults.push((error as Error).message)
      }
    }
  }

  /** Compares the whole list of a server with the pets that were acknowledged. */
  async compareList(url: string): Promise<void> {
    const missing = new Map(this.names)
    for await (const { id, name } of listedPets(url, this.key)) {
      if (missing.get(id) === name) missing.delete(id)
      else this.faults.push(`${url} lists ${id} ${name}; ${this.names.get(id)} was acknowledged`)
    }
    for (const name of missing.values()) this.faults.push(`${url} does not list ${name}`)
  }

  private async buyOne(url: string, name: string, way: number): Promise<void> {
    const pet = await this.create(url, `${name}${MISSPELT}`)
    await this.correct(`${url}/pets/${pet.id}`, { name }, { ...pet, name })
    if (way === 1) await this.createAndDelete(url, `${name} by mistake`)
    if (this.names.has(pet.id)) throw new Error(`${name} got the id ${pet.id} of ${this.names.get(pet.id)}`)
    this.names.set(pet.id, name)
    this.counts.creates++

    const reference = `order-${name}`
    const expiresAt = way === 0 ? { expiresAt: new Date(Date.now() + this.reservedMs).toISOString() } : {}
    const body = { petId: pet.id, reference, ...expiresAt }
    // Sent again after 503, it may be too late for this reservation.
    const statuses = way === 0 ? [201, 400] : [201]
    const { status, text } = await this.answer(statuses, 'POST', `${url}/store/orders`, body, reference)
    if (status === 400) {
      this.reservedMs *= 2
      return
    }
    const order = JSON.parse(text) as Order
    const expected = { id: order.id, petId: pet.id, petName: name, reference }
    expectSame(reference, order, { ...expected, status: 'pending' })
    this.journal.acknowledged({ name: `place ${reference}` }, text, false)
    this.counts.orders++

    const path = `${url}/store/orders/${order.id}`
    if (way !== 0) {
      // The audit knows how it was called by what stands before (order-audit.ts).
      expected.reference = `${reference}~1`
      await this.correct(path, { reference: expected.reference }, { ...expected, status: 'pending' })
    }
    this.placed.set(order.id, { ...order, ...expected })
    if (way === 0) await this.awaitExpiry(path, expected)
    if (way === 1) this.moved(`cancel ${order.id}`, await this.ask(204, 'DELETE', path))
    if (way >= 2) await this.move('complete', path, { ...expected, status: 'completed' })
    if (way === 3) await this.move('return', path, { ...expected, status: 'returned' })
  }

  private async create(url: string, name: string): Promise<{ id: number }> {
    const created = await this.ask(201, 'POST', `${url}/pets`, { name, categoryId: 7 }, name)
    const pet = JSON.parse(created) as { id: number }
    expectSame(`create ${name}`, pet, { id: pet.id, name, categoryId: 7, status: 'available' })
    return pet
  }

  private async correct(path: string, change: object, expected: object): Promise<void> {
    expectSame(`correct ${path}`, JSON.parse(await this.ask(200, 'PATCH', path, change)), expected)
    this.counts.corrections++
  }

  /** Sent again after 503, the deletion may have been done. */
  private async createAndDelete(url: string, name: string): Promise<void> {
    const { id } = await this.create(url, name)
    await this.answer([204, 404], 'DELETE', `${url}/pets/${id}`)
    await this.ask(404, 'GET', `${url}/pets/${id}`)
    this.counts.corrections++
  }

  private async move(operation: string, path: string, expected: Order): Promise<void> {
    const text = await this.ask(200, 'POST', `${path}/${operation}`)
    expectSame(`${operation} ${expected.id}`, JSON.parse(text), expected)
    this.moved(`${operation} ${expected.id}`, text)
  }

  private moved(name: string, text: string): void {
    this.journal.acknowledged({ name }, text, false)
    this.counts.moves++
  }

  private async awaitExpiry(path: string, expected: Omit<Order, 'status'>): Promise<void> {
    for (const until = performance.now() + EXPIRED_MS_MAX; ; await Bun.sleep(100)) {
      const shown = JSON.parse(await this.ask(200, 'GET', path)) as Order
      expectSame(`read order ${expected.id}`, shown, expected)
      if (shown.status === 'expired') break
      if (performance.now() > until) throw new Error(`order ${expected.id} has not expired`)
    }
    this.counts.expiries++
  }

  private readonly readPets = async (url: string) => {
    let last = 0
    let target: string | undefined = `/v1/pets?limit=${1 + Math.floor(Math.random() * 50)}`
    for (let pages = 0; target !== undefined && pages < 3; pages++) {
      const { text, next } = await this.answer([200], 'GET', new URL(target, url).href)
      for (const { id, name, categoryId } of JSON.parse(text) as { id: number; name: string; categoryId: number }[]) {
        // A page may be older than the correction that was acknowledged meanwhile.
        const known = this.names.get(id) ?? name
        if (id <= last || ![known, `${known}${MISSPELT}`].includes(name) || categoryId !== 7)
          throw new Error(`${target} shows ${id} ${name}`)
        last = id
      }
      target = next
    }
  }

  private readonly readPet = async (url: string) => {
    const ids = [...this.names.keys()].slice(-100)
    const id = ids[Math.floor(Math.random() * ids.length)]
    if (id === undefined) return
    const pet = JSON.parse(await this.ask(200, 'GET', `${url}/pets/${id}`)) as { id: number; name: string }
    if (pet.id !== id || pet.name !== this.names.get(id)) throw new Error(`pet ${id} is read as ${pet.id} ${pet.name}`)
  }

  private readonly readOrders = async (url: string) => {
    const orders = [...this.placed.values()].slice(-100)
    const order = orders[Math.floor(Math.random() * orders.length)]
    if (!order) return
    const text = await this.ask(200, 'GET', `${url}/store/orders?petId=${order.petId}`)
    const shown = (JSON.parse(text) as Order[]).map(({ id, petId, reference }) => ({ id, petId, reference }))
    expectSame(`orders of pet ${order.petId}`, shown, [
      { id: order.id, petId: order.petId, reference: order.reference },
    ])
  }

  private readonly readInventory = async (url: string) => {
    const before = this.names.size
    const counts = JSON.parse(await this.ask(200, 'GET', `${url}/store/inventory`)) as Record<string, number>
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    if (Object.keys(counts).join() !== 'available,pending,sold' || all < before)
      throw new Error(`the inventory of ${before} pets or more is ${JSON.stringify(counts)}`)
  }

  private async ask(expected: number, ...asked: Asked): Promise<string> {
    return (await this.answer([expected], ...asked)).text
  }

  /** The answer, which must have one of the statuses. A request that is answered with 503 is sent again. */
  private async answer(statuses: readonly number[], ...asked: Asked): Promise<Answer> {
    const [method, url] = asked
    for (const startedAt = performance.now(); ; await Bun.sleep(PAUSE_MS)) {
      const answer = await this.send(...asked)
      const ms = performance.now() - startedAt
      if (statuses.includes(answer.status)) return answer
      if (answer.status !== 503) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`)
      this.unavailable++
      this.longestMs = Math.max(this.longestMs, ms)
      if (ms > STUCK_MS) throw new Error(`${method} ${url}: nothing but 503 for ${STUCK_MS} ms: ${answer.text}`)
    }
  }

  private async send(...[method, url, body, key]: Asked): Promise<Answer> {
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        'Content-Type': 'application/json',
        ...(key === undefined ? {} : { 'Idempotency-Key': `"${key}"` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    return { status: response.status, text: await response.text(), next }
  }
}

type Asked = [method: string, url: string, body?: object, idempotencyKey?: string]

/** Compares the members that `expected` has. */
function expectSame(what: string, actual: object, expected: object): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = (actual as Record<string, unknown>)[name]
    if (!Bun.deepEquals(found, value)) throw new Error(`${what}: ${JSON.stringify(actual)}`)
  }
}
