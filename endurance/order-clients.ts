// Clients that place, complete, cancel and return orders of a few pets, at random and against each other, and the journal of
// the answers they received.

/** How an experiment's requests ended. */
export interface Counts {
  /** Acknowledged: 2xx. */
  done: number
  /** 4xx: nothing may have happened. */
  refused: number
  /** Without an answer, or 503: it happened wholly or not at all. */
  unknown: number
  replayed: number
}

/** A request: `place REFERENCE`, or `complete`, `cancel` or `return` and the order's id. */
interface Request {
  readonly name: string
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly petId: number
  /** Only of a place. */
  readonly idempotencyKey?: string
}

/** The answers that clients received from all servers. */
export class Journal {
  readonly counts: Counts = { done: 0, refused: 0, unknown: 0, replayed: 0 }
  /** Request → the body of the answer that acknowledged it first. */
  readonly done = new Map<string, string>()
  /** Broken promises that answers have shown. */
  readonly faults: string[] = []
  /** Placements with an Idempotency-Key. */
  readonly keyed: Request[] = []
  private readonly unknown = new Set<string>()
  private readonly reported = new Set<string>()

  mayHaveHappened(request: string): boolean {
    return this.done.has(request) || this.unknown.has(request)
  }

  /** Placements with an Idempotency-Key that were not acknowledged, and may have succeeded. */
  unanswered(): Request[] {
    return this.keyed.filter(({ name }) => this.unknown.has(name) && !this.done.has(name))
  }

  acknowledged(request: Pick<Request, 'name'>, text: string, replayed: boolean): void {
    const first = this.done.get(request.name)
    this.counts.done++
    if (replayed) this.counts.replayed++
    if (first === undefined) this.done.set(request.name, text)
    else if (first !== text) this.faults.push(`${request.name} was answered with ${first}, then with ${text}`)
  }

  refused({ name, idempotencyKey }: Request, answer: string, wasDone: boolean): void {
    this.counts.refused++
    if (wasDone && idempotencyKey) this.faults.push(`${name} was acknowledged; its replay is refused: ${answer}`)
  }

  /** Those of the answers, and those `found`: each once, however many rounds find it. */
  newFaults(found: readonly string[]): string[] {
    const fresh = new Set([...this.faults, ...found]).difference(this.reported)
    for (const fault of fresh) this.reported.add(fault)
    return [...fresh]
  }

  didNotHappen(request: string): void {
    this.unknown.delete(request)
  }

  notAnswered(request: Request): void {
    this.counts.unknown++
    this.unknown.add(request.name)
  }
}

const RESERVED_MS = [5, 250] as const
const REFUSALS = new Set(['pet_not_available', 'order_not_pending', 'order_not_completed', 'invalid_order'])
const IN_FLIGHT = 'idempotency_in_flight'
/** The pause after a 503, so that clients do not flood a store that is down. */
const PAUSE_MS = 20

export class Clients {
  readonly journal = new Journal()
  /** How many requests each server, by its number, has acknowledged. */
  readonly acknowledgedBy: number[] = []
  private readonly holders = new Map<number, number>()
  private placed = 0
  private stopping = false

  constructor(
    private readonly key: string,
    private readonly pets: readonly number[],
  ) {}

  /** `count` clients of one server. Resolves when `stop` was called; earlier when the server is `mortal` and ends. */
  async work(count: number, server: number, url: string, mortal: boolean): Promise<void> {
    this.stopping = false
    await Promise.all(Array.from({ length: count }, () => this.client(server, url, mortal)))
  }

  stop(): void {
    this.stopping = true
  }

  /** Call it while no client is active. Sends unanswered requests with an Idempotency-Key again, and some of the answered ones. */
  async sendAgain(url: string): Promise<void> {
    const { journal } = this
    const unanswered = journal.unanswered()
    const statuses = await Promise.all(unanswered.map((request) => this.send(request, url)))
    for (const [n, { name }] of unanswered.entries()) if (isRefusal(statuses[n])) journal.didNotHappen(name)
    const answered = journal.keyed.filter(({ name }) => journal.done.has(name))
    const some = Array.from({ length: 20 }, () => pick(answered))
    await Promise.all(some.map((request) => request && this.send(request, url)))
  }

  private async client(server: number, url: string, mortal: boolean): Promise<void> {
    while (!this.stopping) {
      const status = await this.send(this.next(), url)
      if (status === 0 && mortal) return
      if (status === 0 || status === 503) await Bun.sleep(PAUSE_MS)
      if (status >= 200 && status < 300) this.acknowledgedBy[server] = (this.acknowledgedBy[server] ?? 0) + 1
    }
  }

  private next(): Request {
    const chance = Math.random()
    const again = chance < 0.1 ? pick(this.journal.keyed.slice(-200)) : undefined
    if (again) return again
    const petId = pick(this.pets) as number
    const holder = this.holders.get(petId)
    if (chance < 0.5 || holder === undefined) return this.newPlacement(petId)
    const path = `/store/orders/${holder}`
    if (chance < 0.7) return { name: `complete ${holder}`, method: 'POST', path: `${path}/complete`, petId }
    if (chance < 0.85) return { name: `return ${holder}`, method: 'POST', path: `${path}/return`, petId }
    return { name: `cancel ${holder}`, method: 'DELETE', path, petId }
  }

  private newPlacement(petId: number): Request {
    const withKey = Math.random() < 0.6
    const reference = `${withKey ? 'key' : 'once'}-${++this.placed}`
    const expiresAt = Date.now() + RESERVED_MS[0] + Math.random() * (RESERVED_MS[1] - RESERVED_MS[0])
    const ends = Math.random() < 0.5 ? { expiresAt: new Date(expiresAt).toISOString() } : {}
    const body = JSON.stringify({ petId, reference, ...ends })
    const placement = { name: `place ${reference}`, method: 'POST', path: '/store/orders', body, petId } as const
    if (!withKey) return placement
    const keyed = { ...placement, idempotencyKey: reference }
    this.journal.keyed.push(keyed)
    return keyed
  }

  /** Resolves with the status; 0 when there is no answer. */
  private async send(request: Request, url: string): Promise<number> {
    const { journal } = this
    const { method, path, body, petId, idempotencyKey } = request
    const wasDone = journal.done.has(request.name)
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': `"${idempotencyKey}"` }),
        },
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.text()
      const { status } = response
      if (response.ok) {
        journal.acknowledged(request, text, response.headers.has('Idempotency-Replayed'))
        if (status === 201) this.holders.set(petId, (JSON.parse(text) as { id: number }).id)
      } else if (status === 503) journal.notAnswered(request)
      else this.refused(request, text, wasDone)
      return status
    } catch {
      journal.notAnswered(request)
      return 0
    }
  }

  private refused(request: Request, text: string, wasDone: boolean): void {
    const { code, message } = JSON.parse(text) as { code: string; message: string }
    if (code === IN_FLIGHT) return
    if (!REFUSALS.has(code)) this.journal.faults.push(`${request.name} was answered with ${text}`)
    this.journal.refused(request, text, wasDone)
    // The message names the order that holds the pet, even one whose placement was not answered.
    const holder = code === 'pet_not_available' ? /order (\d+)/.exec(message)?.[1] : undefined
    if (holder) this.holders.set(request.petId, Number(holder))
  }
}

function isRefusal(status = 0): boolean {
  return status >= 400 && status < 500
}

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
