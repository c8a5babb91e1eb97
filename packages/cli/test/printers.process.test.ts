// Commands print hostile text without control characters, and without lines that look like their own.

import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFake } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { root, run } from '../../../test/support/process.ts'
import { runOnFile } from '../../../test/support/sqlite.ts'
import { made } from '../../../test/support/stores.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { generateKey } from '../../service/src/domain/keys.ts'
import { terminalLine } from '../../service/src/observability/log.ts'

const ESCAPE = '\u001b'
/** Sets the window title, erases the screen, reverses the text direction, and overwrites its line. */
const HOSTILE = `${ESCAPE}]0;owned\u0007\u009b2J\u202e\u2066\u200f\u2028\u007f\rX`
const NEWLINE = `${HOSTILE}\npetstore: done`
/** All control characters except the tabs and line ends that commands print themselves. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** Escape sequences that commands print themselves: colours, and those of readline and the progress bar. */
const OURS = new RegExp(`${ESCAPE}\\[(?:[0-9;]*m|\\?(?:25|7)[hl]|[0-9]*[GJKAC])|${ESCAPE}[78]`, 'gu')

const folder = mkdtempSync(temporaryFile('hostile-'))
const cwd = join(folder, HOSTILE)
mkdirSync(cwd)
const file = (name: string, contents: string): string => {
  writeFileSync(join(cwd, name), contents)
  return name
}

/** A server that responds with hostile text. */
const { url } = startFake(({ method, url }) => {
  const { pathname } = new URL(url)
  const order = { id: 1, petId: 1, petName: NEWLINE, status: NEWLINE, reference: NEWLINE }
  const times = { placedAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' }
  if (pathname === '/v1/store/orders' && method === 'GET') return Response.json([{ ...order, ...times }])
  if (pathname === '/v1/pets/1') return Response.json({ id: 1, name: NEWLINE, categoryId: 1, status: NEWLINE })
  return Response.json({ code: 'invalid_pet', message: NEWLINE, status: 400 }, { status: 400 })
})
const connection = { PETSTORE_URL: url, PETSTORE_API_KEY: generateKey('production') }

/** A store with a hostile key name, which no command accepts. */
const { database: store } = await made(0)
runOnFile(store, `UPDATE keys SET name = '${NEWLINE}'`)

interface Printer {
  args: string[]
  env?: Record<string, string>
}

const importing = (name: string, content: string) => ['pets', 'import', file(name, content)]

/** For each function that prints: commands, by the source of the hostile text. */
const PRINTERS: Record<string, Printer> = {
  'an unknown command': { args: [HOSTILE] },
  'the value of a flag': { args: ['pets', 'list', '--limit', NEWLINE] },
  'the header of a CSV file': { args: importing('header.csv', `"${NEWLINE}",b\n1,2\n`), env: connection },
  'the rejection of a record': { args: importing('a.csv', 'name,categoryId\na,1\n'), env: connection },
  'the name of an empty file': { args: importing(`${HOSTILE}.csv`, 'name,categoryId\n'), env: connection },
  'an error of a service': { args: ['pets', 'list'], env: connection },
  'a list of orders': { args: ['orders', 'list'], env: connection },
  'one pet': { args: ['pets', 'show', '1'], env: connection },
  'the name of a key': { args: ['keys', 'list'], env: { PETSTORE_DATABASE: store } },
  'the name of a missing store': { args: ['keys', 'list'], env: { PETSTORE_DATABASE: NEWLINE } },
}

describe('prints no control character and no forged line', () => {
  for (const [what, { args, env }] of Object.entries(PRINTERS)) {
    test(what, async () => {
      const { stdout, stderr } = await run(args, { cwd, ...(env && { env }) })
      checkShown(stdout + stderr)
    })
  }

  test.each<[string, string[], Record<string, string>]>([
    ['a list in JSON', ['orders', 'list', '--json'], connection],
    ['an export', ['orders', 'export', '--format', 'ndjson'], connection],
    ['the bar of an import', ['pets', 'import', join(cwd, file('b.csv', 'name,categoryId\na,1\n'))], connection],
    ['the bar of a copy', ['copy', '--from', store, '--to', `${folder}/${HOSTILE}-bar.db`], {}],
  ])('prints no control character and no forged line at a terminal: %s', async (_what, args, env) => {
    const terminal = openTerminal(args, env)
    await terminal.exited
    checkShown(terminal.shown().replaceAll(OURS, '').replaceAll('\r', ''))
  })

  test('a log line with an error', () => {
    checkShown(
      terminalLine('warn', { line: NEWLINE, [HOSTILE]: 1, err: new Error(HOSTILE) }, NEWLINE).replaceAll(OURS, ''),
    )
  })
})

test('exports and JSON in a pipe are exact', async () => {
  const { stdout } = await run(['orders', 'export', '--format', 'csv'], { env: connection })
  expect(stdout).toContain(NEWLINE)
  const json = await run(['orders', 'list', '--json'], { env: connection })
  expect(JSON.parse(json.stdout)[0].petName).toBe(NEWLINE)
})

/** All other files print through print.ts. */
const PRINTING_FILES: Record<string, string> = {
  'cli/src/terminal/print.ts': 'the print functions',
  'cli/src/terminal/interaction.ts': 'the progress bar and questions',
  'cli/src/welcome.ts': 'the welcome of a service',
}

test('no other file writes to standard output or standard error', () => {
  const folders = ['service/src/{config,domain,store,http}', '{cli,files,verify}/src']
  const src = join(root, 'packages')
  const files = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(src)])
  const writers = files.filter((path) => {
    const text = readFileSync(join(src, path), 'utf8')
    return /\b(?:process|io\(\))\.std(?:out|err)\b(?!\.isTTY|\.columns|\n)|Bun\.std(?:out|err)|\bconsole\.\w+\(/.test(
      text,
    )
  })
  expect(writers.sort()).toEqual(Object.keys(PRINTING_FILES).sort())
})

function checkShown(text: string): void {
  expect(CONTROLS.exec(text)).toBeNull()
  expect(text).toContain('\ufffd')
  expect(text).not.toContain('\npetstore: done')
}
