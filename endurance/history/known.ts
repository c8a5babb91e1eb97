// What all clients of a history know, and how a client picks from it.

import { TEXT_LENGTH_MAX } from '../../packages/contract/src/generated.ts'
import { wallMs } from '../../packages/service/src/system/runtime.ts'
import { hostileName } from '../../test/support/search-rules.ts'
import type { Asked, Tagged } from './operations.ts'

export class Known {
  readonly pets: number[] = []
  readonly orders: number[] = []
  /** Requests with an Idempotency-Key and when it was first used, and corrections. */
  readonly keyed: (Asked & { readonly keyedAt: number })[] = []
  readonly corrections: Asked[] = []
  readonly names: string[] = []
  /** Requests that the next clients send first. */
  readonly next: Asked[] = []
  /** The latest response with a tag for each pet and order, and the one with the tag before. */
  readonly tagged = new Map<string, Tagged>()
  readonly outdated = new Map<string, Tagged>()
  count = 0
  /** Requests with an Idempotency-Key are repeated at most this long after they were first sent. */
  repeatMsMax = Number.POSITIVE_INFINITY

  constructor(
    /** Names of API keys, repeated by how often each is used. A run can replace them while it lasts. */
    public keys: readonly string[],
    /** The number of pets and orders that most requests are about. */
    readonly hot = HOT,
  ) {}
}

const HOT = 8
export const RESERVED_MS_MAX = 800
const COMMON = ['Bella', 'Max', 'Old Rex']

export class Picker {
  constructor(
    readonly known: Known,
    readonly random: () => number,
  ) {}

  pick<Of>(some: readonly Of[]): Of {
    return some[Math.floor(this.random() * some.length)] as Of
  }

  /** Mostly one of the first or last few pets. */
  pet(): number {
    const { pets, hot } = this.known
    return this.pick(this.random() < 0.5 ? pets.slice(0, hot) : this.random() < 0.8 ? pets.slice(-hot) : pets)
  }

  order(): number | undefined {
    const { orders, hot } = this.known
    return this.pick(this.random() < 0.9 ? orders.slice(-hot) : orders)
  }

  key(): string {
    return this.pick(this.known.keys)
  }

  soon(): string {
    return new Date(wallMs() + this.random() * RESERVED_MS_MAX).toISOString()
  }

  /** A name whose first word is unique, but can be the prefix of another. The rest can be hostile to the search index. */
  name(what: string): string {
    const rest = this.random() < 0.6 ? this.pick(COMMON) : hostileName(this.random)
    const name = [...`${what}${++this.known.count}q ${rest}`].slice(0, TEXT_LENGTH_MAX).join('')
    this.known.names.push(name)
    return name
  }
}
