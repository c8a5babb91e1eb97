// The structured log: one JSON object per line on stderr, or readable lines at a terminal. It never contains keys or
// bodies. Lines are buffered and written together, which takes 1.1 µs per line; pino took 2.7 µs, a noticeable part
// of a create.

import { write } from 'node:fs'
import { styleText } from 'node:util'
import { isTerminal, printable } from '../system/io.ts'
import { endOfTurn, startTimer, wallMs } from '../system/runtime.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The responses that get a line. */
export const ACCESS_LOGS = ['off', 'errors', 'all'] as const
export type AccessLogKind = (typeof ACCESS_LOGS)[number]

export interface Log {
  debug: LogLine
  info: LogLine
  warn: LogLine
  error: LogLine
  /**
   * Logs a change of a pet or an order as `info`. Changes are many, so a terminal shows them only with the level
   * debug.
   */
  change: LogLine
  /** Resolves when all lines are written. Never resolves if the reader of the pipe is blocked. */
  flush(): Promise<void>
}

/** `err` can be any thrown value. */
type LogLine = (fields: Record<string, unknown>, message: string) => void

/** Receives lines with their newlines. `flush` resolves when they are written. */
interface LogDestination {
  write(line: string): void
  flush?(): Promise<void>
}

interface LogOptions {
  /** Other processes write to the same pipe, so keep writes small enough to be atomic (pipe(7), PIPE_BUF). */
  sharedPipe?: boolean
  /** Default: stderr. */
  destination?: LogDestination
}

export function createLog(level: LogLevel, { sharedPipe = false, destination }: LogOptions = {}): Log {
  const to = destination ?? new BufferedLines(2, sharedPipe ? PIPE_BUF : Number.POSITIVE_INFINITY)
  const terminal = !destination && isTerminal(2)
  const line = (of: Exclude<LogLevel, 'silent'>): LogLine => {
    if (LOG_LEVELS.indexOf(of) < LOG_LEVELS.indexOf(level)) return () => undefined
    if (terminal) return (fields, message) => to.write(terminalLine(of, fields, message))
    return (fields, msg) => {
      const written = JSON.stringify(fields.err === undefined ? fields : { ...fields, err: plain(fields.err) })
      const rest = written === '{}' ? '' : `,${written.slice(1, -1)}`
      to.write(`{"level":"${of}","time":"${isoNow()}"${rest},"msg":${JSON.stringify(msg)}}\n`)
    }
  }
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    change: terminal && level !== 'debug' ? () => undefined : line('info'),
    flush: async () => to.flush?.(),
  }
}

/** The last time that was formatted. Many lines of an access log have the same millisecond. */
let [lastMs, lastIso] = [0, '']

function isoNow(): string {
  const ms = wallMs()
  if (ms !== lastMs) [lastMs, lastIso] = [ms, new Date(ms).toISOString()]
  return lastIso
}

/** Returns a JSON value for an error and its causes. */
function plain(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return String(thrown)
  const { name, message, stack, cause } = thrown
  const { code } = thrown as { code?: unknown }
  return { name, message, code, stack, cause: cause === undefined ? undefined : plain(cause) }
}

const COLOURS = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

/** Formats a line for people: time, level, message and fields, followed by the stack and causes of an error. */
export function terminalLine(
  level: keyof typeof COLOURS,
  { err, ...fields }: Record<string, unknown>,
  message: string,
): string {
  const styled = (style: 'dim' | (typeof COLOURS)[keyof typeof COLOURS], text: string) =>
    styleText(style, text, { stream: process.stderr })
  const time = new Date(wallMs()).toTimeString().slice(0, 8)
  const named = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : printable(`${name}=${shown(value)}`),
  )
  const first = [
    styled('dim', time),
    styled(COLOURS[level], level.padEnd(5)),
    printable(message),
    styled('dim', named.join(' ')),
  ]
  return `${[first.join(' ').trimEnd(), ...stackOf(err)].join('\n')}\n`
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : (JSON.stringify(value) ?? '')
}

function stackOf(thrown: unknown): string[] {
  if (thrown === undefined) return []
  const { stack = String(thrown), cause } = thrown instanceof Error ? thrown : {}
  return [...stack.split('\n').map((line) => `    ${printable(line.trim())}`), ...stackOf(cause)]
}

/** The most characters to buffer while the pipe is full. Further lines are counted and dropped. */
const BUFFER_MAX = 16 * 1024 * 1024
/** The pause before writing to a full pipe again. */
const RETRY_MS = 20
const PIPE_BUF = 4096
const NEWLINE = 0x0a

/** Writes lines in order, in batches and asynchronously, so that a slow reader does not delay requests. */
class BufferedLines implements LogDestination {
  private lines = ''
  private lost = 0
  private writing: Promise<void> | undefined

  constructor(
    private readonly descriptor: number,
    private readonly pieceBytes: number,
  ) {}

  write(line: string): void {
    if (this.lines.length > BUFFER_MAX) this.lost++
    else this.lines += line
    this.writing ??= this.writeAll()
  }

  async flush(): Promise<void> {
    await this.writing
  }

  private async writeAll(): Promise<void> {
    // Collects the lines of this turn of the event loop.
    await endOfTurn()
    while (this.lines !== '') {
      const bytes = Buffer.from(this.lines)
      this.lines = this.lost > 0 ? `${JSON.stringify({ level: 'warn', lost: this.lost, msg: 'log lines lost' })}\n` : ''
      this.lost = 0
      for (let at = 0; at < bytes.length; ) at += await this.writeSome(this.piece(bytes, at))
    }
    this.writing = undefined
  }

  /** Returns as many whole lines as fit, or one longer line. */
  private piece(bytes: Buffer, at: number): Uint8Array {
    if (bytes.length - at <= this.pieceBytes) return bytes.subarray(at)
    const end = bytes.lastIndexOf(NEWLINE, at + this.pieceBytes - 1)
    return bytes.subarray(at, end >= at ? end + 1 : bytes.indexOf(NEWLINE, at) + 1)
  }

  /** Resolves with the number of bytes written, or with all of them if the pipe is closed. */
  private writeSome(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve) => {
      write(this.descriptor, bytes, (error, written) => {
        if (!error) resolve(written)
        else if (error.code === 'EAGAIN') startTimer(() => resolve(0), RETRY_MS)
        else resolve(bytes.length)
      })
    })
  }
}
