// How a command ends: its exit status, on which programs can rely, and its error message.

import { CommanderError } from 'commander'
import { PetstoreApiError, PetstoreNetworkError, PetstoreUncertainError } from '../../../client/src/petstore.ts'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { FileError } from '../../../files/src/format.ts'
import { FlagError, KeyError } from '../../../service/src/config/read-config.ts'
import { PetstoreError } from '../../../service/src/domain/petstore-error.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { throughProxy, UnreadableAnswer } from './plain-fetch.ts'
import { indented, printNote } from './print.ts'

/** Some records were rejected. The import has reported each. */
export class ImportIncomplete extends Error {}

/** `petstore verify` could not examine the server. */
export class NotExamined extends Error {}

/** The command has printed its result, which means exit status 1. */
export class NegativeResult extends Error {}

/** Stopped by a signal. */
export class Interrupted extends Error {}

/** The address to name in messages about its errors. */
let service = ''

export function setService(baseUrl: string): void {
  service = baseUrl
}

/** Prints the message for an error of a command. Returns the exit status. */
export function endWith(error: unknown): number {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const hint = isUnreached(error) ? ' --url, --port or PETSTORE_URL names another service.' : ''
  if (!(error instanceof NegativeResult)) printError(messageOf(error) + hint)
  return statusOf(error)
}

function statusOf(error: unknown): number {
  if (error instanceof PetstoreUncertainError) return statusOf(error.cause)
  if (error instanceof FlagError || error instanceof NotExamined) return 2
  if (error instanceof PetstoreNetworkError) return 3
  if (error instanceof KeyError || (error instanceof PetstoreApiError && [401, 403].includes(error.status))) return 4
  if (error instanceof ImportIncomplete) return 5
  if (error instanceof Interrupted) return 130
  return 1
}

/**
 * Prints an error in the one style that all errors have. Removes user names and passwords from addresses, because an
 * address can be given by mistake where a file or a command is expected.
 */
export function printError(message: string): void {
  const [first, ...others] = indented(message.replace(/:\/\/?[^\s/@]*:\S*@/g, '://…@'))
  printNote({ style: 'red', lead: 'petstore:', rest: ` ${first}` }, ...others)
}

const [SELL, PLACE] = ['petstore sell PET', 'petstore orders place PET']

/** The intended command for a word that is no command, or not in this group. */
const MEANT = new Map<string, string>([
  ...['sell', 'sold', 'buy'].map((word) => [word, SELL] as const),
  ...['place', 'reserve', 'hold'].map((word) => [word, PLACE] as const),
  ...['complete', 'cancel', 'return'].map((word) => [word, `petstore orders ${word} ORDER`] as const),
  ['release', 'petstore orders cancel ORDER'],
  ['version', 'petstore --version'],
])

/** Rewrites Commander's `error: unknown command 'lst'\n(Did you mean list?)` as a sentence. */
export function sentenceOf(text: string): string {
  const [unknown, word = ''] = /^error: unknown command '(\w+)'/.exec(text) ?? []
  const meant = MEANT.get(word)
  const plain = (meant ? `${unknown}\n(Did you mean ${meant}?)` : text)
    .trimEnd()
    .replace(/^error: /, '')
    // The value of a mistyped flag may be a password or a key.
    .replace(/^(unknown option '[^=\n]*)=.*'/s, "$1'")
    .replace(/\n\((Did you mean .*)\)$/, '. $1')
  return `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}${/[.?!]$/.test(plain) ? '' : '.'}`
}

export function messageOf(error: unknown): string {
  if (error instanceof PetstoreUncertainError)
    return error.message.replace(error.cause.message, () => messageOf(error.cause))
  if (error instanceof PetstoreNetworkError) return withReason(error)
  if (error instanceof PetstoreApiError) {
    const request = error.status >= 500 && error.requestId ? `request ${error.requestId}, ` : ''
    const from = [`${request}from ${service}`, throughProxy(service)].filter(Boolean).join(', ')
    return `${error.message} (${from})`
  }
  const expected = [StartError, FileError, PetstoreError, ImportIncomplete, NotExamined, Interrupted].some(
    (kind) => error instanceof kind,
  )
  return expected ? (error as Error).message : Bun.inspect(error)
}

/** Returns whether the system rejected or ended the connection. */
function isUnreached(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
  return error instanceof PetstoreNetworkError && typeof code === 'string'
}

/** Adds the system's reason, which says more than the library's message. */
function withReason(error: PetstoreNetworkError): string {
  const { message, cause } = error
  const why = [isUnreached(error) && systemReason(cause), throughProxy(service)].filter(Boolean).join(', ')
  const what = cause instanceof UnreadableAnswer ? cause.message : message
  return why ? `${what.replace(/\.$/, '')} (${why}).` : what
}
