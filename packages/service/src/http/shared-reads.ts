// Lets concurrent requests for the same content share one read: lists, the inventory, and pages of the feed.

import { endOfTurn, watchSize } from '../system/runtime.ts'

/**
 * Calls with the same name share the next run of `read`. A run starts after the calls that share it, so each gets a
 * result as fresh as its own read. Calls that arrive during a run wait for the next one: there is one run at a time
 * for each name.
 */
export class SharedReads<Of> {
  private readonly next = new Map<string, Promise<Of>>()
  private readonly running = new Map<string, Promise<unknown>>()

  constructor() {
    watchSize('shared reads', () => this.next.size + this.running.size)
  }

  get(name: string, read: () => Promise<Of>): Promise<Of> {
    return this.next.getOrInsertComputed(name, () => this.run(name, read))
  }

  private async run(name: string, read: () => Promise<Of>): Promise<Of> {
    await this.running.get(name)
    // Now all requests that have arrived share it.
    await endOfTurn()
    this.next.delete(name)
    const reading = read()
    const done = reading.catch(() => undefined)
    this.running.set(name, done)
    try {
      return await reading
    } finally {
      if (this.running.get(name) === done) this.running.delete(name)
    }
  }
}
