// A store and its model: the domain's decisions over rows in memory (test/support/rows-in-memory.ts). Each change is
// made in both. Then results, reported transitions, events, inventory, rows, lists and API keys must be equal.

import { expect } from 'bun:test'
import { eventFilter } from '../../../../../test/support/events.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { orderFilter, petFilter } from '../../../../../test/support/lists.ts'
import { idsOf } from '../../../../../test/support/paging.ts'
import { nameOf, Rows } from '../../../../../test/support/rows-in-memory.ts'
import {
  createPet,
  deletePet,
  expireOrders,
  moveOrder,
  placeOrder,
  updateOrder,
  updatePet,
} from '../../../src/domain/decisions/decision.ts'
import type { FirstAnswer } from '../../../src/domain/decisions/snapshot.ts'
import type { Decision } from '../../../src/domain/decisions/working-copy.ts'
import type { EventFilter } from '../../../src/domain/events.ts'
import { type ApiKey, type KeyHash, type KeyId, keyState, type NewKey } from '../../../src/domain/keys.ts'
import type { RequestedTransition } from '../../../src/domain/order-transitions.ts'
import type {
  ExpiredOrder,
  Order,
  OrderCheck,
  OrderStatus,
  OrderStore,
  Transition,
} from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store, StoreOptions } from '../../../src/domain/store.ts'
import { KEPT_MS } from '../../../src/store/shared/rows.ts'
import { eventJson, pageOfEvents, pageOfOrders, pageOfPets, positionOf, type Told } from './shown.ts'

/** The place of one store. It is empty at first. */
export interface Place {
  readonly servers: 1 | 2
  /** Opens the store for the server with this index. */
  open(options: Omit<StoreOptions, 'now'>, server: number): Promise<Store>
  /** Whether changes are dated by the clock of the database, instead of the server's. */
  readonly hasClock?: boolean
  /** Sets the clock of each server. The database has the clock of the first one. */
  setClocks(at: readonly number[]): Promise<void>
  /** Whether the data outlives the servers. */
  readonly lasts?: boolean
}

export type Beside = 'a reader' | 'a new API key' | 'the servers close' | undefined

export interface Call {
  readonly method: keyof typeof DECISIONS
  readonly args: readonly unknown[]
  /** The result of the caller's precondition, if the call has one. */
  readonly check?: 'accepts' | 'refuses' | undefined
  readonly server: number
}

/** The result or the rejection of a call, and the last row that its precondition received. */
type Outcome = readonly [result: unknown, seen: unknown]

/** A possible result of calls that were sent together. */
interface Decided {
  readonly rows: Rows
  readonly outcomes: readonly (Outcome | undefined)[]
  readonly transitions: readonly Transition[]
}

const NOW = 1_800_000_000_000
/** Ids that are never assigned. */
const NEVER = [2n ** 63n - 1n, 0n, -(2n ** 63n)] as const
const UNKNOWN_KEY = 999n
const REFUSED = new PetstoreError('precondition_failed', 'The caller rejects it.')

/** The method that moves an order to this status. */
export const METHODS = {
  completed: 'completeOrder',
  cancelled: 'cancelOrder',
  returned: 'returnOrder',
} as const satisfies Record<RequestedTransition, keyof OrderStore>

const move = (to: RequestedTransition) => (id: bigint, by: KeyId, check?: OrderCheck) => moveOrder(id, to, by, check)
const DECISIONS = {
  ...{ createPet, updatePet, deletePet, placeOrder, updateOrder },
  ...{ completeOrder: move('completed'), cancelOrder: move('cancelled'), returnOrder: move('returned') },
}

export class World {
  private rows = new Rows(NOW)
  private readonly told: Told[] = []
  private readonly keys: ApiKey[] = []
  /** Keys that were created during a batch. No call uses them. */
  private readonly otherKeys: ApiKey[] = []
  private readonly hashes = new Map<KeyHash, KeyId>()
  /** Calls with an idempotency key, for replays. */
  private readonly keyed: Call[] = []
  private readonly ends = new Set<number>()
  private servers: Store[] = []
  private epoch = 0n
  private turn = 0
  /** The time that has passed, which no change of a clock affects. */
  private ranMs = 0
  /** How far the clock of each server is ahead of the first one. */
  private ahead = [0, 0]
  /** When each idempotency key was stored, in `ranMs`. */
  private readonly storedAt = new WeakMap<FirstAnswer, number>()
  /** Since the last batch: the sizes of the commits of each server, and the transitions of orders. */
  private sizes: number[][] = []
  private reported: Transition[] = []

  private constructor(private readonly place: Place) {}

  static async open(place: Place): Promise<World> {
    const world = new World(place)
    await world.setClocks()
    await world.openServers()
    for (const key of [{ name: 'till "3" é' }, { name: '' }, { name: 'ends', expiresAt: NOW + 2_000 }, {}])
      world.keys.push(await world.createKey(key))
    world.epoch = (await world.server().findEnd()).epoch
    return world
  }

  private async openServers(): Promise<void> {
    const opening = Array.from({ length: this.place.servers }, (_, server) =>
      this.place.open(
        {
          monotonic: () => this.ranMs,
          // Commits succeed even if an observer throws.
          onBatch: (size) => {
            this.sizes[server]?.push(size)
            throw new Error('planted')
          },
          onTransitions: (transitions) => {
            this.reported.push(...transitions)
            throw new Error('planted')
          },
        },
        server,
      ),
    )
    this.servers = await Promise.all(opening)
  }

  private async createKey(fields: Partial<NewKey> = {}): Promise<ApiKey> {
    const key = newKey(fields)
    expect(await this.server().findKey(key.hash)).toBeUndefined()
    const created = await this.server().createKey(key)
    this.hashes.set(key.hash, created.id)
    return created
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()))
  }

  serverOf = (pick: number) => pick % this.place.servers

  /** Takes turns between the servers. */
  private server(): Store {
    return this.servers[this.nextTurn()] as Store
  }

  private nextTurn(): number {
    return this.turn++ % this.servers.length
  }

  private clockOf(server: number): number {
    return this.rows.now + (this.ahead[server] as number)
  }

  /** The time that dates the changes of a server. */
  private timeOf(server: number): number {
    return this.place.hasClock ? this.rows.now : this.clockOf(server)
  }

  private async setClocks(): Promise<void> {
    await this.place.setClocks(this.ahead.map((_, server) => this.clockOf(server)))
  }

  // A pick is usually the id of a recent row with the status, and otherwise an id near the last one, which the batch
  // can assign.
  pet = (pick: number, status?: PetStatus) => idNear(this.rows.pets, this.rows.lastPet, pick, status)
  order = (pick: number, status?: OrderStatus) => idNear(this.rows.orders, this.rows.lastOrder, pick, status)
  last = () => ({ pet: this.rows.lastPet, order: this.rows.lastOrder })
  anyPet = (pick: number) => BigInt(pick) % (this.rows.lastPet + 2n)
  anyOrder = (pick: number) => BigInt(pick) % (this.rows.lastOrder + 2n)
  key = (pick: number) => this.keys[pick]?.id ?? UNKNOWN_KEY
  eventCount = (pick: number) => pick % (this.told.length + 1)
  /** The time of an event, or one millisecond later. */
  time = (pick: number) => (this.told[(pick >> 1) % this.told.length]?.event.at ?? NOW) + (pick & 1)
  /** Repeats an earlier call with an idempotency key, possibly with another API key. */
  again(pick: number, by: number | undefined): Call | undefined {
    const call = this.keyed[pick % this.keyed.length]
    return call && by !== undefined ? { ...call, args: call.args.with(1, this.key(by)) } : call
  }

  /** No two reservations end at the same time, because their order of expiry is not guaranteed. */
  end(inMs: number): number {
    let at = this.rows.now + inMs
    while (this.ends.has(at)) at++
    this.ends.add(at)
    return at
  }

  /** The time until the next reservation ends, at most an hour. */
  toNextEnd(): number {
    const ends = [...this.rows.orders.values()].flatMap(({ status, expiresAt = 0 }) =>
      status === 'pending' ? expiresAt : 0,
    )
    return Math.min(3_600_000, ...ends.map((end) => end - this.rows.now).filter((ms) => ms > 0))
  }

  async moveClock(ms: number): Promise<void> {
    this.rows.now += ms
    await this.setClocks()
  }

  /** Time passes, which is more than a change of the clocks: idempotency keys may expire. */
  async pass(ms: number): Promise<void> {
    this.ranMs += ms
    await this.moveClock(ms)
  }

  /** Sets how far the clock of the second server is ahead of the first one's. */
  async setAhead(ms: number): Promise<void> {
    this.ahead[1] = ms
    await this.setClocks()
  }

  /** Ends the last API key, or revokes it if there is no time. */
  async endKey(inMs: number | undefined): Promise<void> {
    const key = this.keys.at(-1) as ApiKey
    const expiresAt = Math.min(this.rows.now + (inMs ?? 0), key.expiresAt ?? MAX_TIME)
    const server = this.nextTurn()
    if (inMs === undefined) await this.servers[server]?.revokeKey(key.id)
    else await this.servers[server]?.endKey(key.id, this.rows.now + inMs)
    const end = inMs === undefined ? { revokedAt: key.revokedAt ?? this.clockOf(server) } : { expiresAt }
    this.keys.splice(-1, 1, { ...key, ...end })
    await this.expectKeys()
  }

  /** The calls of each server are one commit. They do not wait for other work. */
  async batch(calls: readonly Call[], beside?: Beside): Promise<string[]> {
    const closes = beside === 'the servers close' && this.place.lasts === true
    this.sizes = this.servers.map(() => [])
    this.reported = []
    const sending = calls.map((call) => this.send(call))
    const reading = beside === 'a reader' ? this.newEvents() : []
    const creating = beside === 'a new API key' ? [this.createKey()] : []
    const closing = closes && this.close()
    const outcomes = await Promise.all(sending)
    this.otherKeys.push(...(await Promise.all(creating)))
    if (closing) await closing.then(() => this.openServers())
    const events = await this.newEvents()
    const read = await reading
    expect(read).toEqual(events.slice(0, read.length))
    const { reported, sizes } = this
    const orders =
      this.servers.length > 1
        ? [
            [0, 1],
            [1, 0],
          ]
        : [[0]]
    const possible = this.possible(calls, orders)
    const decided = possible.find((one) => Bun.deepEquals(outcomes, one.outcomes) && this.tells(one.rows, events))
    const { rows, ...expected } = decided ?? this.decide(calls, orders[0] as number[])
    expect(outcomes).toEqual(expected.outcomes as Outcome[])
    await this.become(rows, events)
    expect(reported).toEqual([...expected.transitions])
    const sent = this.servers.map((_, server) => calls.filter((call) => call.server === server).length)
    expect(sizes).toEqual(sent.map((count) => (count > 0 ? [count] : [])))
    return outcomes.map(([result]) => (Object.hasOwn(result ?? {}, 'code') ? (result as PetstoreError).code : 'done'))
  }

  /** Which call expires which reservation is not guaranteed. */
  async expire(limits: readonly number[]): Promise<string> {
    // Servers with different clocks disagree about which reservations have ended, so only one of them sweeps.
    const one = this.nextTurn()
    const sweeping = limits.map(() => (this.ahead[1] === 0 ? this.nextTurn() : one))
    const sweeps = sweeping.map((server, n) => (this.servers[server] as Store).expireOrders(limits[n]))
    const expired = await Promise.all(sweeps)
    for (const [n, limit] of limits.entries()) expect(expired[n]?.length).toBeLessThanOrEqual(limit)
    const rows = this.rows.copy()
    rows.now = this.timeOf(one)
    const decision = expireOrders(limits.reduce((sum, limit) => sum + limit))
    const [expected] = rows.commit(decision).outcomes as [ExpiredOrder[]]
    rows.now = this.rows.now
    expect(expired.flat().sort(byId)).toEqual(expected.sort(byId))
    await this.become(rows, await this.newEvents())
    return `${expected.length} expired`
  }

  private async expectKeys(): Promise<void> {
    const all = [...this.keys, ...this.otherKeys].sort(byId)
    expect(await this.server().listKeys()).toEqual(all)
    for (const [hash, id] of this.hashes)
      expect(await this.server().findKey(hash)).toEqual(all.find((key) => key.id === id))
  }

  async expectPets(filter: Parameters<typeof petFilter>[0]): Promise<void> {
    const whole = petFilter(filter)
    const all = [...this.rows.pets.values()]
    expect(await this.server().listPets(whole)).toEqual(pageOfPets(all, whole))
    if (whole.search !== undefined) return
    const { json } = pageOfPets(all, { ...whole, limit: 3, after: undefined, back: false })
    expect(await this.server().countPets(whole, 3)).toBe(JSON.parse(json).length)
  }

  async expectOrders(filter: Parameters<typeof orderFilter>[0]): Promise<void> {
    const all = [...this.rows.orders.keys()].map((id) => this.shownOrder(id) as Order)
    const whole = orderFilter(filter)
    expect(await this.server().listOrders(whole)).toEqual(pageOfOrders(all, whole))
  }

  /** `after` is the number of events before the page. */
  async expectEvents(fields: Partial<EventFilter>, after: number | undefined): Promise<void> {
    const { told, epoch } = this
    const filter = eventFilter(after === undefined ? undefined : positionOf(told, after, epoch), fields)
    expect(await this.server().listEvents(filter)).toEqual(pageOfEvents(told, filter, after, epoch))
  }

  async expectAll(): Promise<void> {
    await this.setAhead(0)
    // A second revocation keeps the time of the first.
    await this.endKey(undefined)
    await this.moveClock(1)
    await this.endKey(undefined)
    for (let at = 0; at <= this.told.length; at += 100) await this.expectEvents({ limit: 100 }, at)
  }

  private async send(call: Call): Promise<Outcome> {
    const { args, seen } = argumentsOf(call)
    if (isKeyed(call)) this.keyed.push(call)
    const method = this.servers[call.server]?.[call.method] as (...args: unknown[]) => Promise<unknown>
    return [await method(...args).catch(refusal), seen.at(-1)]
  }

  /**
   * The possible results: servers commit in one of these orders, and each of their commits may forget the expired
   * idempotency keys first.
   */
  private *possible(calls: readonly Call[], orders: readonly number[][]): Generator<Decided> {
    const expired = calls
      .filter(isKeyed)
      .map(usedBy)
      .filter(({ name }) => {
        const answer = this.rows.answers.get(name)
        return answer && this.ranMs - (this.storedAt.get(answer) as number) >= KEPT_MS
      })
    for (let choice = 0; choice < 2 ** expired.length; choice++)
      for (const order of orders)
        yield this.decide(
          calls,
          order,
          expired.filter((_, n) => (choice >> n) & 1),
        )
  }

  /** Decides the calls of each server as one batch, one server after the other. */
  private decide(calls: readonly Call[], servers: readonly number[], forgotten: readonly Used[] = []): Decided {
    const rows = this.rows.copy()
    const outcomes: Outcome[] = []
    const transitions: Transition[] = []
    for (const server of servers) {
      rows.now = this.timeOf(server)
      rows.refused.clear()
      for (const key of this.keys) {
        const state = keyState(key, rows.now)
        if (state !== 'active') rows.refused.set(key.id, state)
      }
      rows.refused.set(UNKNOWN_KEY, 'unknown')
      for (const used of forgotten) if (used.server === server) rows.answers.delete(used.name)
      const made = [...calls.entries()].filter(([, call]) => call.server === server)
      const asked = made.map(([, call]) => argumentsOf(call))
      const decisions = made.map(([, { method }], n) => (DECISIONS[method] as AnyDecision)(...(asked[n]?.args ?? [])))
      const decided = rows.commit(...decisions)
      for (const [n, [at]] of made.entries()) outcomes[at] = [refusal(decided.outcomes[n]), asked[n]?.seen.at(-1)]
      transitions.push(...decided.transitions)
    }
    rows.now = this.rows.now
    return { rows, outcomes, transitions }
  }

  /** Reads the events after the known ones. */
  private async newEvents(): Promise<string[]> {
    const found: string[] = []
    for (let after = positionOf(this.told, this.told.length, this.epoch); ; ) {
      const page = await this.server().listEvents(eventFilter(after, { limit: 7 }))
      if (page.count === 0) return found
      found.push(...page.json.slice(1, -1).split(/,(?=\{"id":\d+,"type":)/))
      after = page.next as typeof after
    }
  }

  /** The model's new events, with the ids of the store's events. */
  private toldBy({ events }: Rows, shown: readonly string[]): Told[] {
    const ids = idsOf({ json: `[${shown}]`, next: undefined, prev: undefined })
    const nameOf = (by: KeyId) => this.keys.find(({ id }) => id === by)?.name || String(by)
    return events.slice(this.told.length).map((event, at) => {
      const id = ids[at] ?? 0n
      return { id, event, json: eventJson(id, event, nameOf) }
    })
  }

  private tells(rows: Rows, shown: readonly string[]): boolean {
    const told = this.toldBy(rows, shown)
    return Bun.deepEquals(
      told.map(({ json }) => json),
      shown,
    )
  }

  /** Expects the store to have these rows and new events. */
  private async become(rows: Rows, shown: readonly string[]): Promise<void> {
    const told = this.toldBy(rows, shown)
    expect([...shown]).toEqual(told.map(({ json }) => json))
    for (const one of told) {
      expect(one.id).toBeGreaterThan(this.told.at(-1)?.id ?? 0n)
      this.told.push(one)
    }
    this.rows = rows
    for (const answer of rows.answers.values()) if (!this.storedAt.has(answer)) this.storedAt.set(answer, this.ranMs)
    const server = this.server()
    const near = (last: bigint) => [...NEVER, ...Array.from({ length: 16 }, (_, n) => last + 2n - BigInt(n))]
    const [petIds, orderIds] = [near(rows.lastPet), near(rows.lastOrder)]
    const [inventory, pets, orders] = await Promise.all([
      server.getInventory(),
      Promise.all(petIds.map((id) => server.getPet(id))),
      Promise.all(orderIds.map((id) => server.getOrder(id))),
      this.expectPets({ limit: 100, sort: 'newest' }),
      this.expectOrders({ limit: 100, sort: 'newest' }),
      // Checked after every batch, because the next batch can repair the index.
      ...['rex', 'luna', 'ada'].map((search) => this.expectOrders({ limit: 100, search })),
      this.expectPets({ limit: 100, search: 'luna' }),
    ])
    const count = (status: string) => BigInt([...rows.pets.values()].filter((pet) => pet.status === status).length)
    // The order of the fields matters, because equal counts must have the same entity tag.
    expect(Object.entries(inventory)).toEqual(['available', 'pending', 'sold'].map((status) => [status, count(status)]))
    expect(pets).toEqual(petIds.map((id) => rows.pets.get(id)))
    expect(orders).toEqual(orderIds.map((id) => this.shownOrder(id)))
  }

  private shownOrder(id: bigint): Order | undefined {
    const order = this.rows.orders.get(id)
    return order && { ...order, petName: this.rows.pets.get(order.petId)?.name as string }
  }
}

type AnyDecision = (...args: unknown[]) => Decision<unknown>
const MAX_TIME = Number.MAX_SAFE_INTEGER
const isKeyed = ({ method, args }: Call) => ['createPet', 'placeOrder'].includes(method) && args[2] !== undefined
/** The idempotency key of a call. */
interface Used {
  readonly server: number
  readonly name: string
}
const usedBy = ({ server, args }: Call): Used => {
  return { server, name: nameOf({ by: args[1] as KeyId, key: args[2] as string }) }
}
const byId = (one: { id: bigint }, other: { id: bigint }) => Number(one.id - other.id)

function idNear<Row extends { id: bigint; status: string }>(
  rows: ReadonlyMap<bigint, Row>,
  last: bigint,
  pick: number,
  status: string | undefined,
): bigint {
  const place = pick >> 2
  const fits = [...rows.values()].filter((row) => row.status === status)
  const found = pick % 4 > 0 ? fits.at(-1 - (((pick * 3) >> 2) % (fits.length || 1))) : undefined
  return found?.id ?? (pick === 15 ? NEVER[0] : last + 2n - BigInt(place))
}

/** The arguments of a call, and the rows that its precondition receives. */
function argumentsOf({ args, check }: Call): { args: readonly unknown[]; seen: unknown[] } {
  const seen: unknown[] = []
  const look = (...found: unknown[]) => {
    seen.push(found)
    return check === 'refuses' ? REFUSED : undefined
  }
  return { args: check ? [...args, look] : args, seen }
}

/** A rejection as plain values. Throws any other error. */
function refusal(result: unknown): unknown {
  if (result instanceof PetstoreError) return { code: result.code, message: result.message }
  if (result instanceof Error) throw result
  return result
}
