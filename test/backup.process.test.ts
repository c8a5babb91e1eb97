// Backups: taken while a service writes, checked, restored, compared; refused where they would do harm.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { ask, root, run, serve } from './support/process.ts'

/** A process whose clock is ahead by a minute with each second. */
const HURRIED = [
  join(root, 'node_modules/.bin/bun'),
  '--preload',
  join(import.meta.dir, 'support/clock-hurried.ts'),
  join(root, 'src/cli/main.ts'),
]
const PET = '{"name":"Rex","categoryId":9223372036854775807}'

/** A store with some animals, and its first key. */
async function made(count = 50) {
  const database = temporaryFile('petstore.db')
  const service = await serve(['--database', database])
  for (let n = 0; n < count; n++) await ask('POST', `${service.url}/pets`, service.key, PET)
  await service.stop()
  return { database, key: service.key }
}

const rows = (path: string) => {
  const database = new Database(path, { readonly: true })
  const all = ['pets', 'keys', 'sqlite_sequence'].map((table) => database.query(`SELECT * FROM ${table}`).values())
  database.close()
  return all
}
const beside = (path: string) => readdirSync(dirname(path)).filter((name) => name !== basename(path))

describe('a backup', () => {
  test('taken while a service writes holds everything acknowledged before, and is restored whole', async () => {
    const { database, key } = await made(0)
    const service = await serve(['--database', database])
    const acknowledged: string[] = []
    let writing = true
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) acknowledged.push((await ask('POST', `${service.url}/pets`, key, PET)).text)
    })
    await Bun.sleep(200)
    const before = [...acknowledged]
    const file = temporaryFile('backup.db')
    const { status, stdout } = await run(['backup', file, '--database', database])
    writing = false
    await Promise.all(writers)
    await service.stop()
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Backed up [\d,]+ animals and 1 keys \(/)])
    expect(before.length).toBeGreaterThan(10)
    expect(beside(file)).toEqual([])

    const restored = temporaryFile('restored.db')
    expect((await run(['restore', file, '--database', restored])).status).toBe(0)
    const again = await serve(['--database', restored])
    for (const text of before) {
      const { id } = JSON.parse(text)
      expect((await ask('GET', `${again.url}/pets/${id}`, key)).text).toBe(text)
    }
    await again.stop()
    expect(rows(restored)).toEqual(rows(file))
  })

  test('is not written over a file that is there', async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    writeFileSync(file, 'precious')
    const { status, stderr } = await run(['backup', file, '--database', database])
    expect([status, stderr]).toEqual([1, expect.stringContaining('is there already')])
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  test('of nothing, or of another program’s file, is refused', async () => {
    for (const make of [() => undefined, (path: string) => writeFileSync(path, 'Dear diary,')]) {
      const [database, file] = [temporaryFile('a.db'), temporaryFile('backup.db')]
      make(database)
      expect((await run(['backup', file, '--database', database])).status).toBe(1)
      expect(existsSync(file)).toBe(false)
    }
  })

  test('where nothing can be written leaves nothing', async () => {
    const { database } = await made(1)
    const { status, stderr } = await run(['backup', '/nowhere/backup.db', '--database', database])
    expect([status, stderr]).toEqual([1, expect.stringContaining('could not be written')])
  })
})

describe('a restore', () => {
  test('keeps the store that was there', async () => {
    const [older, newer] = [await made(3), await made(5)]
    const before = rows(newer.database)
    const { stdout, status } = await run(['restore', older.database, '--database', newer.database])
    expect(status).toBe(0)
    expect(rows(newer.database)).toEqual(rows(older.database))
    expect(rows(/kept as (\S+)\.\n/.exec(stdout)?.[1] as string)).toEqual(before)
  })

  test('is refused while a service uses the store', async () => {
    const { database, key } = await made(3)
    const file = temporaryFile('backup.db')
    await run(['backup', file, '--database', database])
    const service = await serve(['--database', database])
    const { status, stderr } = await run(['restore', file, '--database', database])
    expect([status, stderr]).toEqual([1, expect.stringContaining('A service uses')])
    expect((await ask('POST', `${service.url}/pets`, key, PET)).status).toBe(201)
    await service.stop()
    expect(beside(database)).toEqual([])
    expect(rows(database)[0]?.length).toBe(4)
  })

  test('of a damaged backup is refused, and changes nothing', async () => {
    const { database } = await made(200)
    const pristine = readFileSync(database)
    for (const damage of [
      (bytes: Buffer) => bytes.fill(0xab, 8192, 16384),
      (bytes: Buffer) => bytes.subarray(0, bytes.length - 4096),
      (bytes: Buffer) => bytes.subarray(0, 50),
      () => Buffer.from('Dear diary,'),
    ]) {
      const file = temporaryFile('backup.db')
      writeFileSync(file, damage(Buffer.from(pristine)))
      const { status, stderr } = await run(['restore', file, '--database', database])
      expect([status, stderr]).toEqual([1, expect.stringMatching(/damaged|not a petstore database/)])
    }
    expect(beside(database)).toEqual([])
    expect(readFileSync(database).equals(pristine)).toBe(true)
  })

  test('mends a damaged store', async () => {
    const { database } = await made(200)
    const file = temporaryFile('backup.db')
    copyFileSync(database, file)
    writeFileSync(database, readFileSync(database).fill(0xab, 4096))
    expect((await run(['restore', file, '--database', database])).status).toBe(0)
    expect(rows(database)).toEqual(rows(file))
  })

  test('of a store in use is refused: what its log holds would be lost', async () => {
    const { database, key } = await made(1)
    const service = await serve(['--database', database])
    await ask('POST', `${service.url}/pets`, key, PET)
    const { status, stderr } = await run(['restore', database, '--database', temporaryFile('a.db')])
    expect([status, stderr]).toEqual([1, expect.stringContaining('a store in use')])
    await service.stop()
  })

  test('does not replace another program’s file', async () => {
    const { database } = await made(1)
    const other = join(dirname(temporaryFile('x')), 'diary.txt')
    writeFileSync(other, 'Dear diary,')
    expect((await run(['restore', database, '--database', other])).status).toBe(1)
    expect(readFileSync(other, 'utf8')).toBe('Dear diary,')
  })
})

describe('periodic backups', () => {
  test('are taken by themselves, and the last few kept; other files of the folder stay', async () => {
    const { database, key } = await made(1)
    const folder = dirname(temporaryFile('x'))
    writeFileSync(join(folder, 'petstore-notes.db'), 'mine')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '2' }
    const service = await serve(['--database', database], { env })
    const taken = () => service.stderr().split('"msg":"backup"').length - 1
    while (taken() < 4) await Bun.sleep(50)
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    const kept = readdirSync(folder).filter((name) => name !== 'petstore-notes.db')
    expect(kept.length).toBe(2)
    for (const name of kept) expect(rows(join(folder, name))[0]?.length).toBe(1)
  }, 60_000)

  test('that fail are logged with the reason, the service goes on, and they are tried again within minutes', async () => {
    const { database, key } = await made(1)
    const folder = temporaryFile('folder')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '24h' }
    const service = await serve(['--database', database], { env, command: HURRIED })
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, 'in the way')
    while (!service.stderr().includes('backup failed')) await Bun.sleep(50)
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    rmSync(folder)
    mkdirSync(folder)
    while (!service.stderr().includes('"msg":"backup"')) await Bun.sleep(50)
    expect(await service.stop()).toBe(0)
  }, 60_000)

  test('of two services of one file into one folder are all whole, and none fails', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '2s', PETSTORE_BACKUP_KEEP: '100' }
    const services = await Promise.all([1, 2].map(() => serve(['--database', database], { env })))
    while (readdirSync(folder).filter((name) => name.endsWith('.db')).length < 5) await Bun.sleep(50)
    for (const service of services) {
      expect(await service.stop()).toBe(0)
      expect(service.stderr()).not.toContain('backup failed')
    }
    expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([])
    for (const name of readdirSync(folder)) expect(rows(join(folder, name))[0]?.length).toBe(1)
  }, 60_000)

  test('are taken beside a file that is dated in the future, which stays', async () => {
    const { database } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const future = 'petstore-20990101T000000Z.db'
    writeFileSync(join(folder, future), 'of a wrong clock')
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s', PETSTORE_BACKUP_KEEP: '1' }
    const service = await serve(['--database', database], { env })
    while (service.stderr().split('"msg":"backup"').length < 3) await Bun.sleep(50)
    await service.stop()
    expect(readdirSync(folder).length).toBe(2)
    expect(readFileSync(join(folder, future), 'utf8')).toBe('of a wrong clock')
  }, 60_000)

  test('that are being taken at a stop leave no file and no error', async () => {
    const { database } = await made(1)
    // Large enough that the stop comes before the end.
    const large = new Database(database)
    large.run(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 400000)
               INSERT INTO pets (name, category_id, status, created_at, created_by)
               SELECT printf('%0200d', i), 1, 'sold', 0, 1 FROM n`)
    large.close()
    const folder = dirname(temporaryFile('x'))
    const service = await serve(['--database', database], { env: { PETSTORE_BACKUP_DIR: folder } })
    while (readdirSync(folder).length === 0) await Bun.sleep(1)
    expect(await service.stop()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    expect(service.stderr()).not.toContain('backup failed')
  }, 60_000)

  test('into a folder that cannot be made are refused at the start', async () => {
    const [database, folder] = [temporaryFile('petstore.db'), temporaryFile('folder')]
    writeFileSync(folder, 'in the way')
    const { status, stderr } = await run(['serve', '--port', '0', '--database', database], {
      env: { PETSTORE_BACKUP_DIR: folder },
    })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^petstore: PETSTORE_BACKUP_DIR: \S+ cannot be made \(EEXIST\)/),
    ])
  })
})
