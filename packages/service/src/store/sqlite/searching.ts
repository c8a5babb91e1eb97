// Searches of a file run in a thread, on a connection of its own: one may read millions of entries of the index, and no other request waits for
// it. Those that run at the same time take turns, step by step.

import { unavailable } from '../shared/failures.ts'
import type { SqliteConnection } from './connection.ts'
import { translateCode } from './errors.ts'
import type { RunQuery } from './search.ts'
import THREAD from './search-thread.js' with { type: 'text' }

type Answer = { rows: unknown[][] } | { code: string | undefined; message: string }

interface Searching {
  query: RunQuery
  /** Resolves when the thread has closed the file. */
  stop(): Promise<void>
}

/** The thread is started by the first search. It keeps no process alive. */
export function searching(connection: SqliteConnection): Searching {
  const { filename } = connection.database
  let thread: Worker | undefined
  /** Answers come in the order of the messages. */
  const waiting: PromiseWithResolvers<Answer>[] = []

  function start(): Worker {
    const started = new Worker(URL.createObjectURL(new Blob([THREAD], { type: 'text/javascript' })))
    started.unref()
    started.onmessage = ({ data }) => waiting.shift()?.resolve(data)
    started.onerror = ({ message }) => {
      thread = undefined
      for (const { reject } of waiting.splice(0)) reject(unavailable(new Error(message)))
    }
    return started
  }

  async function send(message: object): Promise<Answer> {
    thread ??= start()
    const answer = Promise.withResolvers<Answer>()
    waiting.push(answer)
    thread.postMessage(message)
    return answer.promise
  }

  return {
    async query(sql, ...values) {
      const answer = await send({ path: filename, sql, values })
      // The thread opens the path, where another file may be meanwhile.
      connection.check()
      if ('rows' in answer) return answer.rows
      throw translateCode(answer.code ?? '', new Error(`${answer.message} (${answer.code})`))
    },
    async stop() {
      if (!thread) return
      thread.ref()
      await send({})
      thread.terminate()
    },
  }
}
