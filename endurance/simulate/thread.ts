// Replaces store/sqlite/connect/thread.ts in the bundle of simulated servers. It runs the thread's code in this process as a task of the
// scheduler.

import { translateCode } from '../../packages/service/src/store/sqlite/connect/errors.ts'
import THREAD from '../../packages/service/src/store/sqlite/connect/sql-thread.js' with { type: 'text' }
import { startTimer } from '../../packages/service/src/system/runtime.ts'
import { Database } from './database.ts'

const ANSWER_MS = 4

interface Answer {
  rows?: unknown[][]
  code?: string
  message?: string
}

export class Thread {
  private readonly self: { onmessage?: (event: { data: object }) => void } = {}
  private answer: Answer = {}

  constructor(private readonly opening: object) {
    const body = THREAD.replaceAll(/^import .*$/gm, '')
    const post = (answer: Answer) => {
      this.answer = answer
    }
    new Function('self', 'postMessage', 'Database', body)(this.self, post, Database)
  }

  query(sql: string, values: readonly unknown[] = [], first?: string): Promise<unknown[][]> {
    return this.ask({ opening: this.opening, first, sql, values })
  }

  ref(): void {}

  async stop(): Promise<void> {
    await this.ask({})
  }

  private ask(message: object): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      startTimer(() => {
        this.self.onmessage?.({ data: message })
        const { rows, code = '', message: text } = this.answer
        startTimer(() => (rows ? resolve(rows) : reject(translateCode(code, new Error(text)))), ANSWER_MS)
      }, 0)
    })
  }
}
