// Lets requests for one list that arrive together share an answer, or what is read for it: where the store has no version by which an
// answer could be cached, and for the feed of events.

import { endOfTurn } from '../../system/turn.ts'
import type { Answer } from './response.ts'

/**
 * Calls with the same name share the next run of `read`. A run starts after the calls that share it, so each gets what a run of its
 * own would have given. A call that arrives during a run waits for the next one: one run at a time for each name.
 */
export class SharedAnswers<Of = Answer> {
  private readonly next = new Map<string, Promise<Of>>()
  private readonly running = new Map<string, Promise<unknown>>()

  get(name: string, read: () => Promise<Of>): Promise<Of> {
    let answer = this.next.get(name)
    if (!answer) {
      answer = this.run(name, read)
      this.next.set(name, answer)
    }
    return answer
  }

  private async run(name: string, read: () => Promise<Of>): Promise<Of> {
    await this.running.get(name)
    // Then every request that has arrived shares it.
    await endOfTurn()
    this.next.delete(name)
    const reading = read()
    const done = reading.then(
      () => {},
      () => {},
    )
    this.running.set(name, done)
    done.then(() => {
      if (this.running.get(name) === done) this.running.delete(name)
    })
    return reading
  }
}
