// Runs each command once as a process. Other tests call `main` in their own process.

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { runProcess, serve } from '../../../test/support/process.ts'
import { COMMANDS } from '../src/commands/all.ts'

const cwd = mkdtempSync(temporaryFile('processes-'))
const copy = join(cwd, 'copy.db')
const PETSTORE_DATABASE = join(cwd, 'petstore.db')
const service = await serve([], { env: { PETSTORE_DATABASE } })
const connection = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.key }
const env = { HOME: cwd, PATH: '/usr/bin:/bin', ...connection, PETSTORE_DATABASE }
afterAll(async () => {
  expect(await service.stop()).toBe(0)
})

/** In this order. The status is 0 by default. */
const ROWS: [args: string[], shows: string, status?: number][] = [
  [['health'], 'ready'],
  [['status'], 'State    ready'],
  [['open'], 'http://'],
  [['login'], 'Logged in'],
  [['logout'], 'Logged out.'],
  [['demo'], 'Added 100 sample pets.'],
  [['pets', 'list'], 'CATEGORY'],
  [['orders', 'list'], 'REFERENCE'],
  [['sell', '1000'], 'No pet has id 1000.', 1],
  [['inventory'], 'available'],
  [['categories'], 'ID  NAME'],
  [['events', '--limit', '1'], 'pet.added'],
  [['keys', 'list'], 'first'],
  [['deprecated'], 'deprecated operation'],
  [['backup', copy], 'Backed up 100 pets'],
  [['check-backup', copy], 'good'],
  [['restore', copy, '--database', 'restored.db'], 'Restored 100 pets'],
  [['recovered', '--database', 'restored.db', '--yes'], 'new epoch'],
  [['migrate', '--check'], 'up to date'],
  [['copy', '--from', 'none.db', '--to', 'other.db'], 'There is no store at', 1],
  [['verify', '--list'], 'pets.list'],
]

test('each command works as a process', async () => {
  for (const [args, shows, status = 0] of ROWS) {
    const { stdout, stderr, status: ended } = await runProcess(args, { env, cwd })
    expect([args, stdout + stderr, ended]).toEqual([args, expect.stringContaining(shows), status])
  }
  expect(['serve', ...ROWS.map(([[command]]) => command)].sort()).toEqual([...COMMANDS.keys()].sort())
})
