// How a command ends: its exit status, which programs may rely on, and what is said when it could not be done.

import { CommanderError } from 'commander'
import { PetstoreApiError, PetstoreNetworkError } from '../client/petstore.ts'
import { PetstoreError, StartError } from '../domain/errors.ts'

export const EXIT_STATUSES = `
Exit statuses:
  0  done
  1  could not be done
  2  the command was not understood
  3  no answer from the service: the same command may work later
  4  the service does not accept the API key, or not for this
  5  an import ended with records that were refused
  130  interrupted`

/** An import that has said which records were refused. */
export class ImportIncomplete extends Error {}

/** The person stopped it. */
export class Interrupted extends Error {}

/** The exit status for what a command threw, once it has been said on standard error. */
export function endWith(error: unknown): number {
  // Commander has already said what it had to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`petstore: ${messageOf(error)}\n`)
  if (error instanceof PetstoreNetworkError) return 3
  if (error instanceof PetstoreApiError && [401, 403].includes(error.status)) return 4
  if (error instanceof ImportIncomplete) return 5
  if (error instanceof Interrupted) return 130
  return 1
}

function messageOf(error: unknown): string {
  if (error instanceof PetstoreNetworkError) return `${error.message}${reasonOf(error.cause)}`
  if (error instanceof PetstoreApiError) {
    const request = error.status >= 500 && error.requestId ? ` (request ${error.requestId})` : ''
    return error.message + request
  }
  const expected = [StartError, PetstoreError, ImportIncomplete, Interrupted].some((kind) => error instanceof kind)
  return expected ? (error as Error).message : Bun.inspect(error)
}

/** A system's code says more than a library's sentence. */
function reasonOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}
