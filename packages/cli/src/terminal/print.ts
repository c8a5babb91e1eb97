// Prints the output of commands: results to stdout, everything else to stderr. Makes untrusted text safe for
// terminals, and reports write errors as sentences.

import { styleText } from 'node:util'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { io, type Output, printable, printableLines } from '../../../service/src/system/io.ts'

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan' | 'dim'

export type Texts = AsyncIterable<string> | Iterable<string>

/** A line for people. `lead` is styled if the stream supports it. */
export type Line = string | { before?: string; style: Style; lead: string; rest?: string }

/** Prints lines to stdout. Resolves and rejects as `print` does. */
export function printLines(...lines: readonly Line[]): Promise<void> {
  return printUnlessClosed(styled(lines, io().stdout))
}

/** Prints lines to stderr. */
export function printNote(...lines: readonly Line[]): void {
  // There is no place to report an error of stderr.
  writeTo(io().stderr, styled(lines, io().stderr)).catch(() => undefined)
}

/**
 * Writes text unchanged for programs, or made safe for a terminal. Resolves when stdout can take more. Throws
 * StartError if stdout cannot be written. Exits with 0 if the reader is gone, such as `head`.
 */
export function print(text: string): Promise<void> {
  return printUnlessClosed(io().stdout.isTTY ? printableLines(text) : text)
}

export async function writeAll(texts: Texts, to: (text: string) => unknown = print): Promise<void> {
  for await (const text of texts) await to(text)
}

/** As `print`, but also throws StartError if the reader is gone: for output that must not get lost. */
export async function printOrFail(text: string): Promise<void> {
  try {
    await writeTo(io().stdout, text)
  } catch (cause) {
    throw new StartError(`Standard output cannot be written (${systemReason(cause)}).`, { cause })
  }
}

/**
 * Splits a message into lines and indents all but the first, because text from other sources must not look like a
 * message of ours.
 */
export function indented(message: string): [string, ...string[]] {
  const [first = '', ...others] = message.trimEnd().split('\n')
  return [first, ...others.map((line) => line.replace(/^(?! )/, '  '))]
}

export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Set for a child process whose stdout this process shows at a terminal. */
export const FOR_PEOPLE = 'PRINT_FOR_PEOPLE'

/** Formats with thousands separators (`12,000`) at a terminal, and without them for programs. */
export function grouped(number: number | bigint, fractionDigits: 0 | 1 = 0): string {
  const useGrouping = io().stdout.isTTY || FOR_PEOPLE in io().env
  return number.toLocaleString('en', { useGrouping, maximumFractionDigits: fractionDigits })
}

/** Formats in the largest unit with a value of at least two. */
export function duration(ms: number, fractionDigits: 0 | 1 = 0): string {
  const seconds = ms / 1000
  if (seconds < 120) return `${grouped(seconds, fractionDigits)} s`
  if (seconds < 7_200) return `${grouped(seconds / 60)} min`
  return seconds < 172_800 ? `${grouped(seconds / 3_600)} hours` : `${grouped(seconds / 86_400)} days`
}

async function printUnlessClosed(text: string): Promise<void> {
  try {
    await printOrFail(text)
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException).code === 'EPIPE') io().exit(0)
    throw error
  }
}

function writeTo(stream: Output, text: string): Promise<void> {
  // The callback gets the error. Node would also throw it if there were no listener.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function styled(lines: readonly Line[], stream: Output): string {
  const texts = lines.map((line) => {
    if (typeof line === 'string') return printable(line)
    const { before = '', style, lead, rest = '' } = line
    return printable(before) + styleText(style, printable(lead), { stream }) + printable(rest)
  })
  return texts.map((text) => `${text}\n`).join('')
}
