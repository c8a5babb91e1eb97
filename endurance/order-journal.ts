// The journal of the answers that clients received, from which the audits know what must be there, and what may be.

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

/** The operation, its pet or order, and what makes it unique: `rename 7 name-12`. Of a place its reference, of an add its name. */
export interface Request {
  readonly name: string
  readonly method: 'POST' | 'DELETE' | 'PATCH'
  readonly path: string
  readonly body?: string
  /** The pet that is meant; of an add 0. */
  readonly petId: number
  /** Only of a place and of an add. */
  readonly idempotencyKey?: string
}

/** The answers that clients received from all servers. */
export class Journal {
  readonly counts: Counts = { done: 0, refused: 0, unknown: 0, replayed: 0 }
  /** Request → the body of the answer that acknowledged it first. */
  readonly done = new Map<string, string>()
  /** Broken promises that answers have shown. */
  readonly faults: string[] = []
  /** Requests with an Idempotency-Key. */
  readonly keyed: Request[] = []
  /** Code and pet of each refusal. */
  readonly refusals = new Set<string>()
  private readonly unknown = new Set<string>()
  private readonly reported = new Set<string>()
  /** When a request was sent first, and when it was acknowledged first. */
  private readonly sentAt = new Map<string, number>()
  private readonly doneAt = new Map<string, number>()
  private clock = 0

  mayHaveHappened(request: string): boolean {
    return this.done.has(request) || this.unknown.has(request)
  }

  /** All requests that may have happened. */
  possible(): Set<string> {
    return new Set([...this.done.keys(), ...this.unknown])
  }

  /** The answer to the first had come before the second was sent: what the second did is the later one. */
  isBefore(first: string, second: string): boolean {
    const [done, sent] = [this.doneAt.get(first), this.sentAt.get(second)]
    return done !== undefined && sent !== undefined && done < sent
  }

  /** Requests with an Idempotency-Key that were not acknowledged, and may have succeeded. */
  unanswered(): Request[] {
    return this.keyed.filter(({ name }) => this.unknown.has(name) && !this.done.has(name))
  }

  sent({ name }: Pick<Request, 'name'>): void {
    if (!this.sentAt.has(name)) this.sentAt.set(name, ++this.clock)
  }

  acknowledged({ name }: Pick<Request, 'name'>, text: string, replayed: boolean): void {
    const first = this.done.get(name)
    this.counts.done++
    if (replayed) this.counts.replayed++
    if (first === undefined) {
      this.done.set(name, text)
      this.doneAt.set(name, ++this.clock)
    } else if (name.startsWith('delete ')) this.faults.push(`${name} was acknowledged twice`)
    else if (comparable(name, first) !== comparable(name, text))
      this.faults.push(`${name} was answered with ${first}, then with ${text}`)
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

/** An order that is completed again is shown as it is now: its pet may have another name. */
function comparable(name: string, text: string): string {
  return /^(complete|return) /.test(name) ? text.replace(/"petName":"[^"]*"/, '') : text
}
