// Clients that send what order-requests.ts chooses, against each other, and note the answers.

import { Journal, type Request } from './order-journal.ts'
import { Requests } from './order-requests.ts'
import { pick } from './random.ts'

/** Why each operation may be refused here. */
const REFUSALS: Readonly<Record<string, readonly string[]>> = {
  place: ['pet_not_available', 'pet_not_found', 'invalid_order'],
  complete: ['order_not_pending'],
  cancel: ['order_not_pending'],
  return: ['order_not_completed'],
  change: ['order_not_pending', 'invalid_order'],
  add: [],
  rename: ['not_found'],
  free: ['not_found', 'pet_held'],
  delete: ['not_found', 'pet_has_orders'],
}
const IN_FLIGHT = 'idempotency_in_flight'
/** The pause after a 503, so that clients do not flood a store that is down. */
const PAUSE_MS = 20
const WARM_MS_MAX = 30_000

export class Clients {
  readonly journal = new Journal()
  /** How many requests each server, by its number, has acknowledged. */
  readonly acknowledgedBy: number[] = []
  private readonly requests: Requests
  private stopping = false

  constructor(
    private readonly key: string,
    pets: readonly number[],
  ) {
    this.requests = new Requests(this.journal, pets)
  }

  /** `count` clients of one server. Resolves when `stop` was called; earlier when the server is `mortal` and ends. */
  async work(count: number, server: number, url: string, mortal: boolean): Promise<void> {
    this.stopping = false
    await Promise.all(Array.from({ length: count }, () => this.client(server, url, mortal)))
  }

  stop(): void {
    this.stopping = true
  }

  /** Resolves when at least `count` requests have been acknowledged, and as many refused. */
  async haveSent(count: number): Promise<void> {
    const { counts } = this.journal
    const until = performance.now() + WARM_MS_MAX
    while (Math.min(counts.done, counts.refused) < count) {
      if (performance.now() > until) throw new Error(`the servers do too little: ${JSON.stringify(counts)}`)
      await Bun.sleep(5)
    }
  }

  /** Call it while no client is active. Sends unanswered requests with an Idempotency-Key again, and some of the answered ones. */
  async sendAgain(url: string): Promise<void> {
    const { journal } = this
    const unanswered = journal.unanswered()
    const statuses = await Promise.all(unanswered.map((request) => this.send(request, url)))
    for (const [n, { name }] of unanswered.entries()) if (isRefusal(statuses[n])) journal.didNotHappen(name)
    const answered = journal.keyed.filter(({ name }) => journal.done.has(name))
    const some = answered.length > 0 ? Array.from({ length: 20 }, () => pick(answered)) : []
    await Promise.all(some.map((request) => this.send(request, url)))
  }

  private async client(server: number, url: string, mortal: boolean): Promise<void> {
    while (!this.stopping) {
      const status = await this.send(this.requests.next(), url)
      if (status === 0 && mortal) return
      if (status === 0 || status === 503) await Bun.sleep(PAUSE_MS)
      if (status >= 200 && status < 300) this.acknowledgedBy[server] = (this.acknowledgedBy[server] ?? 0) + 1
    }
  }

  /** Resolves with the status; 0 when there is no answer. */
  private async send(request: Request, url: string): Promise<number> {
    const { journal } = this
    const { method, path, body, idempotencyKey } = request
    const wasDone = journal.done.has(request.name)
    journal.sent(request)
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': `"${idempotencyKey}"` }),
        },
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.text()
      const { status } = response
      if (response.ok) {
        journal.acknowledged(request, text, response.headers.has('Idempotency-Replayed'))
        this.requests.learn(request, status, text)
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
    const [operation = ''] = request.name.split(' ')
    if (!REFUSALS[operation]?.includes(code)) this.journal.faults.push(`${request.name} was answered with ${text}`)
    this.journal.refusals.add(`${code} ${request.petId}`)
    this.journal.refused(request, text, wasDone)
    const holder = /^pet_(not_available|held)$/.test(code) ? /order (\d+)/.exec(message)?.[1] : undefined
    if (holder) this.requests.learnHolder(request.petId, Number(holder))
  }
}

function isRefusal(status = 0): boolean {
  return status >= 400 && status < 500
}
