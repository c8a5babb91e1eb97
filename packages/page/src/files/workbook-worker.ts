// Reads workbooks in a worker, so that a large one does not freeze the page. This file is both: the page imports it,
// and the worker runs it.

import { FileError } from '../../../files/src/format.ts'
import { workbookText } from '../../../files/src/workbook.ts'

interface Task {
  file: string
  bytes: Uint8Array<ArrayBuffer>
}
type Reply = { text: string } | { problem: string }

const isWorker = typeof document === 'undefined' && typeof postMessage === 'function'
if (isWorker) {
  self.onmessage = async ({ data }: MessageEvent<Task>) => {
    const reply = (message: Reply) => self.postMessage(message)
    try {
      reply({ text: (await Array.fromAsync(workbookText(data.file, data.bytes))).join('') })
    } catch (error) {
      reply({ problem: (error as Error).message })
    }
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string }
}

/** This file. Browsers with trusted types accept it only from the policy that the service names. */
let policy: ReturnType<TrustedTypes['createPolicy']> | undefined
function address(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('petstore-worker', { createScriptURL: () => import.meta.url })
  return policy?.createScriptURL('') ?? import.meta.url
}

/** Yields the first visible sheet as CSV. Throws FileError. */
export async function* workbookInWorker(file: string, bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  const worker = new Worker(address(), { type: 'module' })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    worker.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data)
    worker.onerror = () => reject(new FileError(`${file} could not be read. Use CSV instead.`))
    worker.postMessage({ file, bytes } satisfies Task)
    const reply = await promise
    if ('problem' in reply) throw new FileError(reply.problem)
    yield reply.text
  } finally {
    worker.terminate()
  }
}
