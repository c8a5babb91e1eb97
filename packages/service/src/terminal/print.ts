// What the commands print, in one place, so that no text from outside controls the terminal and a stream that cannot be written is
// a sentence. Results go to standard output, everything else to standard error.

import { styleText } from 'node:util'
import { StartError } from '../domain/start-error.ts'
import { systemReason } from '../domain/system-reason.ts'
import { printable, printableLines } from '../observability/printable.ts'
import { io, type Output } from '../system/io.ts'

export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan' | 'dim'

/** A line for people; `lead` is in a style where the stream shows one. */
export type Line = string | { before?: string; style: Style; lead: string; rest?: string }

/** Prints each as one line, whatever it contains, on standard output. Resolves and rejects as `write`. */
export function printLines(...lines: readonly Line[]): Promise<void> {
  return toReader(shown(lines, io().stdout))
}

/** Prints each as one line, whatever it contains, on standard error. */
export function printNote(...lines: readonly Line[]): void {
  // There is nowhere to report that standard error cannot be written.
  send(io().stderr, shown(lines, io().stderr)).catch(() => undefined)
}

/**
 * Writes text for programs as it is, unless a terminal shows it. Resolves when standard output can take more. Throws StartError when it
 * cannot be written. Ends the process when its reader has gone, such as `head`: that is not an error.
 */
export function write(text: string): Promise<void> {
  return toReader(io().stdout.isTTY ? printableLines(text) : text)
}

export async function writeAll(texts: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const text of texts) await write(text)
}

/** As `write`, but also throws StartError when the reader has gone: for what somebody must have read. */
export async function deliver(text: string): Promise<void> {
  try {
    await send(io().stdout, text)
  } catch (cause) {
    throw new StartError(`Standard output cannot be written (${systemReason(cause)}).`, { cause })
  }
}

/** As lines of one message. None of the further ones, which may come from outside, looks like a message of ours. */
export function indented(message: string): [string, ...string[]] {
  const [first = '', ...others] = message.trimEnd().split('\n')
  return [first, ...others.map((line) => line.replace(/^(?! )/, '  '))]
}

export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** In the environment of a child whose standard output this process shows at a terminal. */
export const FOR_PEOPLE = 'PRINT_FOR_PEOPLE'

/** For people at a terminal by thousands, `12,000`; for programs plain. */
export function grouped(number: number | bigint, fractionDigits: 0 | 1 = 0): string {
  const useGrouping = io().stdout.isTTY || FOR_PEOPLE in io().env
  return number.toLocaleString('en', { useGrouping, maximumFractionDigits: fractionDigits })
}

/** In the largest unit of which there are two. */
export function duration(ms: number, fractionDigits: 0 | 1 = 0): string {
  const seconds = ms / 1000
  if (seconds < 120) return `${grouped(seconds, fractionDigits)} s`
  if (seconds < 7_200) return `${grouped(seconds / 60)} min`
  return seconds < 172_800 ? `${grouped(seconds / 3_600)} hours` : `${grouped(seconds / 86_400)} days`
}

async function toReader(text: string): Promise<void> {
  try {
    await deliver(text)
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException).code === 'EPIPE') io().exit(0)
    throw error
  }
}

function send(stream: Output, text: string): Promise<void> {
  // The callback gets the error. Without a listener it would be thrown, too.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function shown(lines: readonly Line[], stream: Output): string {
  const texts = lines.map((line) => {
    if (typeof line === 'string') return printable(line)
    const { before = '', style, lead, rest = '' } = line
    return printable(before) + styleText(style, printable(lead), { stream }) + printable(rest)
  })
  return texts.map((text) => `${text}\n`).join('')
}
