// A thread beside the one that answers requests, with a connection of its own. It is started from its text by the first message, since from a
// path the package and the executable would each have to carry a second script; and it keeps no process alive.

import { unavailable } from '../../shared/failures.ts'

export class Thread<Message extends object, Answer> {
  private worker: Worker | undefined
  /** Answers come in the order of the messages. */
  private readonly waiting: PromiseWithResolvers<Answer>[] = []

  constructor(private readonly text: string) {}

  /** Rejects with `unavailable` where the thread itself has failed. The next message starts another one. */
  ask(message: Message): Promise<Answer> {
    this.worker ??= this.start()
    const answer = Promise.withResolvers<Answer>()
    this.waiting.push(answer)
    this.worker.postMessage(message)
    return answer.promise
  }

  /** Keeps the process alive for what it works on. */
  ref(): void {
    this.worker?.ref()
  }

  /** Resolves when it has answered its last message, or has failed. */
  async stop(last: Message): Promise<void> {
    if (!this.worker) return
    this.ref()
    await this.ask(last).catch(() => undefined)
    this.worker?.terminate()
  }

  private start(): Worker {
    const worker = new Worker(URL.createObjectURL(new Blob([this.text], { type: 'text/javascript' })))
    worker.unref()
    worker.onmessage = ({ data }) => this.waiting.shift()?.resolve(data)
    worker.onerror = ({ message }) => {
      this.worker = undefined
      for (const { reject } of this.waiting.splice(0)) reject(unavailable(new Error(message)))
    }
    return worker
  }
}
