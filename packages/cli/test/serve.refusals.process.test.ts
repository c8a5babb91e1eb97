// `petstore serve` rejects settings, ports, folders and files that it cannot use, before it listens.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../test/support/ended.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { freePort } from '../../../test/support/ports.ts'
import { run, runHere, serve } from '../../../test/support/process.ts'
import { until } from '../../../test/support/until.ts'
import { openStore } from '../../service/src/store/kinds.ts'

const inUse = new URL((await serve(['--ephemeral'])).url).port
const portBefore = String(Number(inUse) - 1)
const notes = temporaryFile('notes')
writeFileSync(notes, 'Dear diary,')
const backupFolders = [
  ['is a file', notes],
  ['is below a file', join(notes, 'backups')],
  ...(process.platform === 'linux' ? [['cannot be written', '/proc/self']] : []),
]

describe.concurrent('serve rejects, with a message and without a stack trace,', () => {
  const refused = async (args: string[], env: Record<string, string> = {}, start = runHere) => {
    const { status, stdout, stderr } = await start(['serve', ...args], { env })
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(/^ +at /m)
    return { status, stderr }
  }

  test('a configuration with several problems, and lists all of them', async () => {
    const { status, stderr } = await refused(['--port', '65536', '--environment', 'prod'], {
      PETSTORE_HOST: ' ',
      PETSTORE_BASE_URL: 'https://shop.example/v2',
      PETSTORE_STAGING_BASE_URL: 'shop/v1',
      PETSTORE_BOOTSTRAP_KEY: 'secret-looking',
      PETSTORE_SUNSET: 'never',
      PETSTORE_LOG_LEVEL: 'loud',
      PETSTORE_CORS_ORIGINS: 'https://shop.example/',
      PETSTORE_DATABASE: 'mysql://root@db/pets',
    })
    expect(status).toBe(2)
    const named =
      '--port --environment HOST BASE_URL STAGING_BASE_URL BOOTSTRAP_KEY SUNSET LOG_LEVEL CORS_ORIGINS DATABASE'
    for (const name of named.split(' ')) expect(stderr).toContain(name)
    expect(stderr).not.toContain('secret-looking')
  })

  test('a wrong flag with status 2, a wrong variable with status 1', async () => {
    expect(await refused(['--port', 'abc'])).toEqual({
      status: 2,
      stderr: 'petstore: The configuration cannot be used:\n  --port must be a number from 0 to 65535.\n',
    })
    expect((await refused([], { PETSTORE_PORT: 'abc' })).status).toBe(1)
  })

  test.each([
    [['--ephemeral', '--database', 'a.db'], '--database cannot be used with --ephemeral'],
    [['--ephemeral', '--workers', '2'], '--workers cannot be used with --ephemeral'],
    [['--demo'], '--demo needs --ephemeral'],
    [['--stdin'], '--stdin needs --ephemeral'],
    [['--practice'], '--practice needs --ephemeral'],
  ])('flags that do not fit together: %j', async (args, said) => {
    expect(await refused(args)).toEqual(ended(2, said))
  })

  test.each<[what: string, args: string[], env: Record<string, string>, said: string]>([
    ['a port in use', ['--port', inUse], {}, `Port ${inUse}`],
    ['a port that another process does not share', ['--port', inUse], { PETSTORE_SHARE_PORT: 'yes' }, `Port ${inUse}`],
    ['a port in use for workers', ['--port', inUse, '--workers', '2'], {}, `Port ${inUse}`],
    ['an admin port in use', [], { PETSTORE_ADMIN_PORT: inUse }, 'with PETSTORE_ADMIN_PORT'],
    ['an admin port in use for a worker', ['--workers', '2'], { PETSTORE_ADMIN_PORT: portBefore }, `Port ${inUse}`],
    ['a missing file of categories', [], { PETSTORE_CATEGORIES: '/none.csv' }, 'PETSTORE_CATEGORIES'],
    ['a missing file of a key', [], { PETSTORE_BOOTSTRAP_KEY_FILE: '/none' }, 'PETSTORE_BOOTSTRAP_KEY'],
    ...backupFolders.map(([what = '', folder = '']): [string, string[], Record<string, string>, string] => [
      `a folder for backups that ${what}`,
      [],
      { PETSTORE_BACKUP_DIR: folder },
      folder,
    ]),
  ])('%s, before it touches the store', async (_, args, env, said) => {
    const database = temporaryFile('a.db')
    expect(await refused(['--port', '0', '--database', database, ...args], env, run)).toEqual(ended(1, said))
    expect(existsSync(database)).toBe(false)
  })

  const workers = process.platform === 'linux' ? [[['--workers', '2']]] : []
  const QUIET = { PETSTORE_ACCESS_LOG: 'off' }
  test.each([[[]], ...workers])(
    'a store that cannot take the first key, without reporting ready before: %p',
    async (flags) => {
      const database = temporaryFile('a.db')
      await (await openStore(database, { now: Date.now })).close()
      const writer = new Database(database)
      writer.run('BEGIN IMMEDIATE')
      const port = freePort()
      let isOver = false
      const refusal = refused(['--port', `${port}`, '--database', database, ...flags], QUIET, run).finally(() => {
        isOver = true
      })
      const statuses = new Set<number>()
      const hasEnded = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { keepalive: false }).catch(() => undefined)
        if (answer) statuses.add(answer.status)
        return isOver
      }
      await until('the service has ended', hasEnded)
      const stderr = 'petstore: The store cannot be used at the moment. Try again.\n'
      expect(await refusal).toEqual({ status: 1, stderr })
      expect([...statuses]).toEqual([503])
      writer.close()
      const again = await serve(['--database', database, ...flags])
      expect(again.key).toBeDefined()
      // Workers learn with a short delay that all have started.
      await until('the service is ready', async () => (await fetch(new URL('/readyz', again.url))).status === 200)
      await again.stop()
    },
  )

  test.each([
    ['203.0.113.1', 'address not available'],
    ['petstore.invalid', 'no such host'],
  ])('an address of another machine: %s', async (host, reason) => {
    expect(await refused(['--host', host, '--port', '0', '--ephemeral'], {}, run)).toEqual(
      ended(1, `Cannot listen on ${host}:0 (${reason})`),
    )
  })

  test('a file that another process has locked', async () => {
    const file = temporaryFile('a.db')
    await (await serve(['--database', file])).stop()
    const other = new Database(file)
    other.run('PRAGMA locking_mode = EXCLUSIVE')
    other.run('BEGIN EXCLUSIVE')
    // In another process, because SQLite's wait for the lock blocks the event loop of the tests.
    const args = ['--port', '0', '--database', file]
    expect(await refused(args, {}, run)).toEqual(ended(1, 'locked by another process'))
    other.close()
  })
})
