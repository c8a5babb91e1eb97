// A thread of a simulated server: its text runs in this process, when the scheduler says so. It stands in the place of
// store/sqlite/connect/thread.ts in the bundle.

import { startTimer } from '../../packages/service/src/system/runtime.ts'
import { Database } from './database.ts'

const ANSWER_MS = 1

export class Thread<Message extends object, Answer> {
  private readonly self: { onmessage?: (event: { data: Message }) => void } = {}
  private answer: Answer | undefined

  constructor(text: string) {
    const body = text.replaceAll(/^import .*$/gm, '')
    const post = (answer: Answer) => {
      this.answer = answer
    }
    new Function('self', 'postMessage', 'Database', body)(this.self, post, Database)
  }

  ask(message: Message): Promise<Answer> {
    return new Promise((resolve) => {
      startTimer(() => {
        this.self.onmessage?.({ data: message })
        const { answer } = this
        startTimer(() => resolve(answer as Answer), ANSWER_MS)
      }, 0)
    })
  }

  ref(): void {}

  async stop(last: Message): Promise<void> {
    await this.ask(last)
  }
}
