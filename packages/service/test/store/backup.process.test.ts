// Backups: consistent while a service writes, durable before they get their name, and rejected where they would
// overwrite something.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { rowsOfFile } from '../../../../test/support/copied-stores.ts'
import { ended } from '../../../../test/support/ended.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { ask, launcher, run, serve } from '../../../../test/support/process.ts'
import { beside, made, PET, rows } from '../../../../test/support/stores.ts'
import { noStrace, straced } from '../../../../test/support/strace.ts'
import { until } from '../../../../test/support/until.ts'

/**
 * The nice value of a process, or `undefined` if it has exited. It is the 19th field in proc(5); the second is a name
 * in parentheses, which can contain spaces.
 */
async function niceOf(pid: number): Promise<string | undefined> {
  const fields = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => '')
  return fields.split(') ')[1]?.split(' ')[16]
}

describe.concurrent('a backup', () => {
  test('a backup contains every pet that was acknowledged before it, while a service writes, and can be restored', async () => {
    const { database, key } = await made(0)
    const service = await serve(['--database', database])
    const acknowledged: string[] = []
    let writing = true
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) acknowledged.push((await ask('POST', `${service.url}/pets`, key, PET)).text)
    })
    await until('more than 10 creates are acknowledged', () => acknowledged.length > 10)
    const before = [...acknowledged]
    const file = temporaryFile('backup.db')
    const { status, stdout } = await run(['backup', file, '--database', database])
    writing = false
    await Promise.all(writers)
    await service.stop()
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Backed up [\d,]+ pets, 0 orders and 1 key \(/)])
    expect(beside(file)).toEqual([])

    const restored = temporaryFile('restored.db')
    expect((await run(['restore', file, '--database', restored])).status).toBe(0)
    expect(rows(restored).slice(0, 2)).toEqual(rows(file).slice(0, 2))
    // Cursors are valid in one store only.
    const epochs = [database, file, restored].map((path) => rowsOfFile(path, ['event_epoch']).event_epoch?.join())
    expect(new Set(epochs).size).toBe(3)
    const again = await serve(['--database', restored])
    for (const text of before) {
      const { id } = JSON.parse(text)
      expect((await ask('GET', `${again.url}/pets/${id}`, key)).text).toBe(text)
    }
    await again.stop()
  })

  test.skipIf(process.platform !== 'linux')('a backup runs at the lowest priority, as does its restore', async () => {
    const [{ database }, { database: backup }] = [await made(1), await made(1)]
    using other = new Database(database)
    for (const sql of ['PRAGMA locking_mode = EXCLUSIVE', 'BEGIN EXCLUSIVE']) other.run(sql)
    for (const args of [
      ['backup', temporaryFile('backup.db')],
      ['restore', backup],
    ]) {
      // It waits for the lock.
      const child = Bun.spawn([launcher, ...args, '--database', database])
      await until('the priority is the lowest', async () => (await niceOf(child.pid)) === '19', { everyMs: 1 })
      child.kill('SIGKILL')
      await child.exited
    }
  })

  test('a backup is readable by its owner only, even if others can read the store', async () => {
    const { database } = await made(1)
    chmodSync(database, 0o644)
    const file = temporaryFile('backup.db')
    expect((await run(['backup', file, '--database', database])).status).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a backup leaves other files unchanged, and one of four concurrent backups to the same name succeeds', async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    writeFileSync(`${file}.partial`, 'precious')
    const statuses = Array.from({ length: 4 }, async () => (await run(['backup', file, '--database', database])).status)
    expect((await Promise.all(statuses)).sort()).toEqual([0, 1, 1, 1])
    expect(rows(file)).toEqual(rows(database))
    expect(beside(file)).toEqual(['backup.db.partial'])
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('precious')
  })

  test('a backup of a missing, damaged or foreign file is rejected and leaves no file', async () => {
    const [missing, foreign, { database: damaged }] = [temporaryFile('a.db'), temporaryFile('a.db'), await made(200)]
    writeFileSync(foreign, 'Dear diary,')
    writeFileSync(damaged, readFileSync(damaged).fill(0xab, 4096))
    for (const [database, sentence] of [
      [missing, 'There is no store at '],
      [foreign, 'is not a petstore database. Name another file.'],
      [damaged, `${damaged} is damaged`],
    ] as const) {
      const file = temporaryFile('backup.db')
      expect(await run(['backup', file, '--database', database])).toEqual(ended(1, sentence))
      expect(readdirSync(dirname(file))).toEqual([])
    }
  })

  test.skipIf(noStrace !== '')(`a backup is synced while it is written, as is its restore${noStrace}`, async () => {
    const [{ database }, backup, restored] = [await made(1), temporaryFile('backup.db'), temporaryFile('restored.db')]
    for (const args of [
      ['backup', backup, '--database', database],
      ['restore', backup, '--database', restored],
    ]) {
      const log = temporaryFile('calls')
      const command = straced(['-y', '-o', log, '-e', 'trace=fdatasync'])
      expect((await run(args, { command })).status).toBe(0)
      expect(readFileSync(log, 'utf8')).toMatch(/fdatasync\(\d+<.*\.partial>/)
    }
  })

  // SQLite would apply a log or a journal next to the backup.
  test.each(['', '-wal', '-shm', '-journal'])('a backup is rejected if backup.db%s exists', async (suffix) => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    writeFileSync(file + suffix, 'precious')
    const sentence = suffix ? `${file}${suffix} is left over` : 'already exists'
    expect(await run(['backup', file, '--database', database])).toEqual(ended(1, sentence))
    expect(readdirSync(dirname(file))).toEqual([basename(file) + suffix])
    expect(readFileSync(file + suffix, 'utf8')).toBe('precious')
  })

  /** Calls `change` while SQLite writes the copy. Resolves with the result of the command. */
  async function during(change: () => void, file: string, database: string) {
    const command = straced(['-e', 'trace=fsync', '-e', 'inject=fsync:delay_exit=4000ms:when=1'])
    const backup = run(['backup', file, '--database', database], { command })
    const partial = () => readdirSync(dirname(file)).map((name) => `${dirname(file)}/${name}`)[0]
    const hasBytes = () => partial() && statSync(partial() as string).size !== 0
    await until('the unfinished backup has bytes', hasBytes, { everyMs: 1 })
    change()
    return backup
  }

  test.skipIf(noStrace !== '')(`a backup is rejected if a log appears before it gets its name${noStrace}`, async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    const { status, stderr } = await during(() => writeFileSync(`${file}-wal`, 'precious'), file, database)
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${file}-wal is left over`)])
    expect(beside(file)).toEqual([`${basename(file)}-wal`])
  })

  test.skipIf(noStrace !== '')(
    `a backup is rejected if the store is replaced during the backup${noStrace}`,
    async () => {
      const [{ database }, other] = [await made(1), await made(2)]
      const file = temporaryFile('backup.db')
      const { status, stderr } = await during(() => renameSync(other.database, database), file, database)
      expect([status, stderr]).toEqual([1, `petstore: ${database} was replaced during the backup. Try again.\n`])
      expect(readdirSync(dirname(file))).toEqual([])
    },
  )
})

test('backup and restore reject PostgreSQL without printing the password', async () => {
  const env = { PETSTORE_DATABASE: 'postgres://petstore:hunter2@127.0.0.1:1/pets' }
  for (const command of ['backup', 'restore']) {
    const { status, stderr } = await run([command, temporaryFile('backup.db')], { env })
    expect(status).toBe(1)
    expect(stderr).toContain('Back up PostgreSQL with its own tools')
    expect(stderr).not.toContain('hunter2')
  }
})
