// A server as its clients use it while a failover goes on: what it interrupts is asked again, and a place in the feed is kept as a link says it.

export interface Seen {
  id: number
}

/** Where a reader is: what it has read, and how it goes on. */
export interface Place {
  followed: string
  read: readonly Seen[]
  cursor: string
}

export type Answer = { status: number; events: Seen[]; next: string }

export class Shop {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** The id of a new pet. */
  async add(): Promise<number> {
    return this.create('/pets', { name: 'Rex', categoryId: 1 })
  }

  addMany(count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.add()))
  }

  reserve(petId: number, expiresAt: string): Promise<number> {
    return this.create('/store/orders', { petId, expiresAt })
  }

  /** From the beginning to the end. */
  async whole(followed: string): Promise<Seen[]> {
    return (await this.rest(followed)) ?? []
  }

  /** What follows a place; `undefined` where its cursor has expired. */
  async rest(cursor: string): Promise<Seen[] | undefined> {
    const rest: Seen[] = []
    for (let at = cursor; ; ) {
      const { status, events, next } = await this.read(at, 'limit=100')
      if (status === 410) return undefined
      rest.push(...events)
      if (events.length === 0) return rest
      at = next
    }
  }

  /** Behind each event. */
  async placesOf(followed: string): Promise<Place[]> {
    const places: Place[] = []
    let read: Seen[] = []
    for (let cursor = followed; ; ) {
      const { events, next } = await this.read(cursor, 'limit=1')
      if (events.length === 0) return places
      read = [...read, ...events]
      places.push({ followed, read, cursor: next })
      cursor = next
    }
  }

  /** `cursor`: the query of a link, without how much is asked for. */
  async read(cursor: string, more: string): Promise<Answer> {
    const { status, text, link } = await this.send(`/store/events?${cursor}&${more}`, {})
    const query = new URLSearchParams(/\?([^>]*)>; rel="next"/.exec(link)?.[1])
    for (const name of ['limit', 'wait']) query.delete(name)
    return { status, events: status === 200 ? JSON.parse(text) : [], next: String(query) }
  }

  private async create(path: string, body: object): Promise<number> {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const { text } = await this.send(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return JSON.parse(text).id
  }

  private async send(path: string, init: RequestInit): Promise<{ status: number; text: string; link: string }> {
    for (;;) {
      const headers = { Authorization: `Bearer ${this.key}`, ...init.headers }
      const response = await fetch(this.url + path, { ...init, headers }).catch(() => undefined)
      const text = (await response?.text().catch(() => undefined)) ?? ''
      const { status = 0 } = response ?? {}
      if (response && text !== '' && (status < 300 || status === 410)) {
        return { status, text, link: response.headers.get('Link') ?? '' }
      }
      if (response && status !== 503) throw new Error(`${path}: ${status} ${text}`)
      await Bun.sleep(20)
    }
  }
}
