// Runs test files with Bun's runner, counts what they say, and keeps what those said that failed: the runner writes it far above
// the end of its output, of which CI shows no more than the last 150 lines. A test has all the time that a busy machine needs
// (time-limit.ts); only the run as a whole is limited, and then lists the files that it waited for. A run that is stopped leaves nothing behind.

import { readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { endTree } from './process-tree.ts'

/** Of failures, and lines of all of them together. */
const SHOWN = 10
const SHOWN_LINES = 100

const COUNTS = /<testsuites[^>]* tests="(\d+)"[^>]* failures="(\d+)" skipped="(\d+)"/
const FAILURE =
  /<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<failure [^>]*message="([^"]*)"(?:>([^<]*)<)?/g
/** Thrown while a file was loaded, or after its last test: not in the report. */
const UNHANDLED = /^# Unhandled error between tests\n-+\n([\s\S]*?)\n-+$/gm

/** The runner names a file when it has ended. */
const ENDED = /^(\S+\.test\.tsx?):$/gm

/** How long the output of a run that took too long is still read. */
const LAST_OUTPUT_MS = 1_000

export interface RunOptions {
  cwd: string
  env?: NodeJS.ProcessEnv
  /** Ends the whole run. */
  limitMs: number
}

/**
 * Counted from the report that the runner writes; no report, or a status that disagrees with it, is a failure. `files` begin with `./`.
 * Throws where there are none: the runner would take every test that it finds.
 */
export async function runTests(files: readonly string[], flags: string[], report: string, options: RunOptions) {
  if (files.length === 0) throw new Error('No file has tests.')
  // Behind the database server that the tests share, which many wait for.
  const bun = ['nice', process.execPath, 'test', ...flags]
  const command = [...bun, '--reporter=junit', `--reporter-outfile=${report}`, ...files]
  // The standard error has all: what tests print, too.
  const runner = Bun.spawn(command, { ...options, stdio: ['ignore', 'inherit', 'pipe'] })
  let output = ''
  let isOver = false
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    isOver = true
    endTree(runner.pid)
    // A process that lost its parent may keep the stream open.
    setTimeout(over.resolve, LAST_OUTPUT_MS)
  }, options.limitMs)
  const read = async () => {
    for await (const text of runner.stderr.pipeThrough(new TextDecoderStream())) {
      // The name of a test may have one, and grep takes what has one for no text.
      process.stderr.write(text.replaceAll('\0', '␀'))
      output += text
    }
  }
  await Promise.race([read(), over.promise])
  const status = await runner.exited
  clearTimeout(timer)
  const waiting = () => {
    const ended = new Set(output.matchAll(ENDED).map(([, file]) => `./${file}`))
    return files.filter((file) => !ended.has(file)).join(' ')
  }
  const xml = readOrEmpty(report)
  const [total = 0, reported = 0, skipped = 0] = COUNTS.exec(xml)?.slice(1).map(Number) ?? []
  const failures = [
    ...xml.matchAll(FAILURE).map(([, name, suite, file, message, said]) => {
      return unescaped(`${file}: ${suite && `${suite} > `}${name}\n${said || message}`).trimEnd()
    }),
    ...output.matchAll(UNHANDLED).map(([, said]) => `beside the tests:\n${said}`),
    ...(isOver ? [`The run took more than ${options.limitMs / 60_000} minutes. It waited for: ${waiting()}`] : []),
  ]
  const failed = total === 0 || (status !== 0 && reported === 0) ? reported + 1 : reported
  return { passed: total - reported - skipped, failed, skipped, failures: shortened(failures) }
}

/** How often a run that npm started checks that npm is alive. */
const PARENT_EVERY_MS = 200

/**
 * Ends this process at SIGTERM, SIGINT and SIGHUP, and when the npm that started it has ended. At its end, its descendants and all processes with this
 * `SUITE_FOLDER` in their environment are ended, and the folder is removed.
 */
export function leaveNothing(folder: string): void {
  process.env.SUITE_FOLDER = folder
  process.on('exit', () => {
    endTree(process.pid, `SUITE_FOLDER=${folder}`)
    rmSync(folder, { recursive: true, force: true })
  })
  const stop = (signal: NodeJS.Signals) => {
    process.stderr.write(`\nThe run was stopped (${signal}).\n`)
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  const parent = process.ppid
  if (process.env.npm_lifecycle_event)
    setInterval(() => process.ppid !== parent && stop('SIGHUP'), PARENT_EVERY_MS).unref()
}

/** Of a long one the beginning, which is the message, and the end, which is the place. */
function shortened(failures: string[]): string[] {
  const most = Math.floor(SHOWN_LINES / Math.min(failures.length, SHOWN))
  return failures.slice(0, SHOWN).map((failure) => {
    const lines = failure.split('\n')
    return (lines.length > most ? lines.toSpliced(most - 4, lines.length - most + 1, '…') : lines).join('\n')
  })
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    return name ? (NAMED[name] ?? whole) : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal))
  })
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
