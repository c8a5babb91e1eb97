// Runs test files with Bun's runner, counts results, and lists failures for the end of the output, because CI shows only
// the last 150 lines. Limits the run as a whole, and then lists the files that had not ended. An interrupted run leaves no
// processes or files.

import { readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { endTree } from './process-tree.ts'

/** The most failures that are repeated at length, and the most lines of all of them. */
const SHOWN = 10
const SHOWN_LINES = 100
/** The most lines of a failure in the list at the end, and the most lines of that list. */
const BRIEF_LINES = 5
const LIST_LINES = 100
const COLUMNS = 160
/** Lines of a failure that the list leaves out: blank lines, and source code with its mark. */
const NO_MESSAGE = /^\s*(?:\^|\d+ \|.*)?$/

const COUNTS = /<testsuites[^>]* tests="(\d+)"[^>]* failures="(\d+)" skipped="(\d+)"/
const FAILURE =
  /<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]*)"[^>]*>\s*<failure [^>]*message="([^"]*)"(?:>([^<]*)<)?/g
/** An error while a file was loaded, or after its last test, which is not in the report. */
const UNHANDLED = /^# Unhandled error between tests\n-+\n([\s\S]*?)\n-+$/gm

/** The runner prints the name of a file after its end. */
const ENDED = /^(\S+\.test\.tsx?):$/gm

/** The message of the runner with `--changed` if there is nothing to test. */
const NONE_CHANGED = /^--changed: .*(?:nothing to run|no test files are affected)$/m

/** How long output is still read after the time limit of the run. */
const LAST_OUTPUT_MS = 1_000

export interface RunOptions {
  cwd: string
  env?: NodeJS.ProcessEnv
  /** The time limit of the whole run. */
  limitMs: number
}

/**
 * Counts results in the runner's report. A missing report, or a status that contradicts it, is a failure. `files`
 * begin with `./`. Rejects if there are none, because the runner would then run every test that it finds.
 */
export async function runTests(files: readonly string[], flags: string[], report: string, options: RunOptions) {
  if (files.length === 0) throw new Error('No file has tests.')
  // A lower priority than the shared database server, for which many tests wait.
  const bun = ['nice', process.execPath, 'test', ...flags]
  const command = [...bun, '--reporter=junit', `--reporter-outfile=${report}`, ...files]
  // Standard error also has the output of tests.
  const runner = Bun.spawn(command, { ...options, stdio: ['ignore', 'inherit', 'pipe'] })
  let output = ''
  let isOver = false
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    isOver = true
    endTree(runner.pid)
    // An orphaned process can keep the stream open.
    setTimeout(over.resolve, LAST_OUTPUT_MS)
  }, options.limitMs)
  const read = async () => {
    for await (const text of runner.stderr.pipeThrough(new TextDecoderStream())) {
      // Replace NUL in test names, because grep treats output with NUL as binary.
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
  const found = [...xml.matchAll(FAILURE)]
  const failures = [
    ...found.map(([, name, suite, file, message, said]) => {
      return unescaped(`${file}: ${suite && `${suite} > `}${name}\n${said || message}`).trimEnd()
    }),
    ...output.matchAll(UNHANDLED).map(({ 1: said = '', index }) => {
      const [, before = ''] = [...output.slice(0, index).matchAll(ENDED)].at(-1) ?? []
      // Another file can have ended just before.
      const file = files.find((one) => said.includes(one.slice(1)))?.slice(2) ?? before
      return `${file}: outside the tests\n${said}`
    }),
    ...(isOver ? [`The run took more than ${options.limitMs / 60_000} minutes. Unfinished files: ${waiting()}`] : []),
  ]
  printLogs(new Set(found.map(([, , , file]) => file)), options.env ?? process.env)
  const isEmpty = total === 0 && !NONE_CHANGED.test(output)
  const failed = isEmpty || (status !== 0 && reported === 0) ? reported + 1 : reported
  return { passed: total - reported - skipped, failed, skipped, failures }
}

/** The file of a run in which `start` of process.ts records the end of each server's log, with the test file. */
export const SERVER_LOGS = 'server-logs'

/** Prints the logs of the servers that these test files started. */
function printLogs(files: ReadonlySet<string | undefined>, { SUITE_FOLDER = '' }: NodeJS.ProcessEnv): void {
  for (const line of readOrEmpty(join(SUITE_FOLDER, SERVER_LOGS)).trim().split('\n')) {
    const [file, log] = JSON.parse(line || '[]')
    if (files.has(file)) process.stdout.write(`\nThe log of a server in ${file}:\n${log}\n`)
  }
}

/** How often a run started by npm checks that npm is alive. */
const PARENT_EVERY_MS = 200

/**
 * Exits at SIGTERM, SIGINT and SIGHUP, and after the npm that started it has ended. On exit, kills its descendants and
 * all processes with this `SUITE_FOLDER` in their environment, and removes the folder.
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

/** Returns failures as the last lines of the output: the first ones at length, then all of them in a few lines each. */
export function summaryOf(failures: readonly string[]): { long: string[]; list: string } {
  const each = (lines: number, count: number) => Math.max(1, Math.floor(lines / Math.min(failures.length, count)))
  const most = each(SHOWN_LINES, SHOWN)
  // A long failure has its message at the beginning and its location at the end.
  const long = failures.slice(0, SHOWN).map((failure) => {
    const lines = failure.split('\n')
    return (lines.length > most ? lines.toSpliced(most - 4, lines.length - most + 1, '…') : lines).join('\n')
  })
  const brief = failures.flatMap((failure) => {
    const lines = failure.split('\n').filter((line) => !NO_MESSAGE.test(line))
    return lines.slice(0, Math.min(BRIEF_LINES, each(LIST_LINES, failures.length))).map((line, at) => {
      return `${at === 0 ? '  ' : '      '}${line.trim().slice(0, COLUMNS)}`
    })
  })
  return { long, list: failures.length > 0 ? `Failed:\n${brief.join('\n')}\n` : '' }
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
