// Backups: taken while a service writes, checked, compared; refused where they would do harm.

import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ended } from '../../../../test/support/ended.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { ask, launcher, run, serve, spawnSilent } from '../../../../test/support/process.ts'
import { beside, made, PET, rows } from '../../../../test/support/stores.ts'
import { until } from '../../../../test/support/until.ts'

const strace = Bun.which('strace')
const needsStrace = strace ? '' : ' (strace is not installed)'
/** What a system call does for a backup, as strace writes the call with `-y`. */
const [FILE, FOLDER] = [/^fsync\(\d+<.*\.partial>/, /^fsync\(\d+<.*\/petstore-test-\w+>/]
const SYNCS = Object.entries({ 'the file': FILE, 'its folder': FOLDER, named: /^link/ })

/** `undefined` when the process has ended. proc(5): the 19th field; the second is a name in brackets, which may have spaces. */
async function niceOf(pid: number): Promise<string | undefined> {
  const fields = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => '')
  return fields.split(') ')[1]?.split(' ')[16]
}

describe.concurrent('a backup', () => {
  test('taken while a service writes contains every pet acknowledged before, and can be restored', async () => {
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
    const again = await serve(['--database', restored])
    for (const text of before) {
      const { id } = JSON.parse(text)
      expect((await ask('GET', `${again.url}/pets/${id}`, key)).text).toBe(text)
    }
    await again.stop()
  })

  test.skipIf(process.platform !== 'linux')('gives way to all other processes, and so does its restore', async () => {
    const [{ database }, backup, restored] = [await made(1), temporaryFile('backup.db'), temporaryFile('restored.db')]
    for (const args of [
      ['backup', backup, '--database', database],
      ['restore', backup, '--database', restored],
    ]) {
      const child = Bun.spawn([launcher, ...args])
      const seen = new Set<string | undefined>()
      while (child.exitCode === null) {
        seen.add(await niceOf(child.pid))
        await Bun.sleep(1)
      }
      expect([...seen]).toContain('19')
    }
  })

  test('can be read by its owner only, also when others may read the store', async () => {
    const { database } = await made(1)
    chmodSync(database, 0o644)
    const file = temporaryFile('backup.db')
    expect((await run(['backup', file, '--database', database])).status).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('leaves other files alone; two backups at the same time write to different files', async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    writeFileSync(`${file}.partial`, 'precious')
    const statuses = Array.from({ length: 4 }, async () => (await run(['backup', file, '--database', database])).status)
    expect((await Promise.all(statuses)).sort()).toEqual([0, 1, 1, 1])
    expect(rows(file)).toEqual(rows(database))
    expect(beside(file)).toEqual(['backup.db.partial'])
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('precious')
  })

  test('that is killed leaves only its temporary file, whose name identifies it', async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    const child = spawnSilent('backup', file, '--database', database)
    const hasBegun = () => child.exitCode !== null || readdirSync(dirname(file)).length !== 0
    await until('the backup has made a file or ended', hasBegun, { everyMs: 0 })
    child.kill('SIGTERM')
    await child.exited
    const left = readdirSync(dirname(file)).filter((name) => name !== basename(file))
    for (const name of left) expect(name).toMatch(/^backup\.db\.\d+-[0-9a-f]{8}\.partial(-wal|-shm|-journal)?$/)
  })

  test('of a damaged store is refused with the reason, and leaves nothing', async () => {
    const { database } = await made(200)
    writeFileSync(database, readFileSync(database).fill(0xab, 4096))
    const file = temporaryFile('backup.db')
    expect(await run(['backup', file, '--database', database])).toEqual(ended(1, `${database} is damaged`))
    expect(readdirSync(dirname(file))).toEqual([])
  })

  test.skipIf(!strace)(
    `is on disk before it has its name, and its name before the command ends${needsStrace}`,
    async () => {
      const { database } = await made(1)
      const [file, log] = [temporaryFile('backup.db'), temporaryFile('calls')]
      // A file for each thread, so that no line is cut in two by that of another.
      const calls = ['-ff', '-y', '-o', log, '-e', 'trace=fsync,?link,linkat,?unlink,unlinkat']
      const command = [strace as string, ...calls, launcher]
      expect((await run(['backup', file, '--database', database], { command })).status).toBe(0)
      const traced = beside(log).map((name) => readFileSync(join(dirname(log), name), 'utf8').split('\n'))
      const done = traced.find((lines) => lines.some((line) => line.includes(`"${file}"`))) ?? []
      // SQLite is done with the copy when it removes the journal. It promises no sync (https://sqlite.org/lang_vacuum.html, 2.1).
      const own = done.slice(done.findIndex((line) => /^unlink.*\.partial-journal/.test(line)) + 1)
      const steps = own.flatMap((line) => SYNCS.find(([, call]) => call.test(line))?.[0] ?? [])
      expect(steps).toEqual(['the file', 'named', 'its folder'])
    },
  )

  test.skipIf(!strace)(`that cannot sync leaves no file${needsStrace}`, async () => {
    const { database } = await made(1)
    const left: string[][] = []
    for (let step = 1, failed = true; failed; step++) {
      const [file, log] = [temporaryFile('backup.db'), temporaryFile('calls')]
      const fail = ['-e', 'trace=fsync,link', '-e', `inject=fsync:error=EIO:when=${step}`]
      const command = [strace as string, '-f', '-qq', '-o', log, ...fail, launcher]
      const { status } = await run(['backup', file, '--database', database], { command })
      const calls = readFileSync(log, 'utf8')
      failed = calls.includes('INJECTED')
      if (status !== 0)
        left.push([/ link\(.*INJECTED/s.test(calls) ? 'named' : 'not named', ...readdirSync(dirname(file))])
    }
    // SQLite syncs several times before the file has its name; the folder is synced last.
    expect(new Set(left.slice(0, -1).map(String))).toEqual(new Set(['not named']))
    expect(left.at(-1)).toEqual(['named'])
  })

  test.skipIf(!strace)(`is synced while it is written, so that others have the disk, too${needsStrace}`, async () => {
    const { database } = await made(1)
    // SQLite's own sync of the copy lasts so long. On a busy machine the thread that syncs beside it may not have started by then.
    let syncs = 0
    for (const delay of ['500ms', '2s', '8s']) {
      const [file, log] = [temporaryFile('backup.db'), temporaryFile('calls')]
      const slowly = ['-e', 'trace=fsync,fdatasync', '-e', `inject=fsync:delay_exit=${delay}:when=1`]
      const command = [strace as string, '-ff', '-y', '-o', log, ...slowly, launcher]
      expect((await run(['backup', file, '--database', database], { command })).status).toBe(0)
      const textOf = (name: string) => readFileSync(join(dirname(log), name), 'utf8')
      const ofThreads = beside(log).map((name) => textOf(name).match(/fdatasync.*\.partial>/g) ?? [])
      syncs = Math.max(...ofThreads.map(({ length }) => length))
      if (syncs > 3) break
    }
    expect(syncs).toBeGreaterThan(3)
  })

  test.skipIf(!strace)(`is restored with steady syncs, too${needsStrace}`, async () => {
    const [{ database }, backup, log] = [await made(1), temporaryFile('backup.db'), temporaryFile('calls')]
    expect((await run(['backup', backup, '--database', database])).status).toBe(0)
    const command = [strace as string, '-f', '-y', '-o', log, '-e', 'trace=fdatasync', launcher]
    expect((await run(['restore', backup, '--database', temporaryFile('restored.db')], { command })).status).toBe(0)
    expect(readFileSync(log, 'utf8')).toMatch(/fdatasync\(\d+<.*\.partial>/)
  })

  test('does not overwrite an existing file', async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    writeFileSync(file, 'precious')
    expect(await run(['backup', file, '--database', database])).toEqual(ended(1, 'already exists'))
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  test.each(['-wal', '-shm', '-journal'])(
    'is refused where %s of another database lies beside its name, which SQLite would apply to it',
    async (suffix) => {
      const { database } = await made(1)
      const file = temporaryFile('backup.db')
      writeFileSync(file + suffix, 'precious')
      expect(await run(['backup', file, '--database', database])).toEqual(ended(1, `${file}${suffix} is left over`))
      expect(readdirSync(dirname(file))).toEqual([basename(file) + suffix])
    },
  )

  /** Calls `change` while SQLite writes the copy, and gives how the command ends. */
  async function during(change: () => void, file: string, database: string) {
    const slow = [strace as string, '-f', '-o', '/dev/null', '-e', 'inject=fsync:delay_exit=4000ms:when=1', launcher]
    const backup = run(['backup', file, '--database', database], { command: slow })
    const partial = () => readdirSync(dirname(file)).map((name) => `${dirname(file)}/${name}`)[0]
    const hasBytes = () => partial() && statSync(partial() as string).size !== 0
    await until('the unfinished backup has bytes', hasBytes, { everyMs: 1 })
    change()
    return backup
  }

  test.skipIf(!strace)(`is refused when such a file appears before it gets its name${needsStrace}`, async () => {
    const { database } = await made(1)
    const file = temporaryFile('backup.db')
    const { status, stderr } = await during(() => writeFileSync(`${file}-wal`, 'precious'), file, database)
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${file}-wal is left over`)])
    expect(beside(file)).toEqual([`${basename(file)}-wal`])
  })

  test.skipIf(!strace)(`is refused when the store is replaced during it${needsStrace}`, async () => {
    const [{ database }, other] = [await made(1), await made(2)]
    const file = temporaryFile('backup.db')
    const { status, stderr } = await during(() => renameSync(other.database, database), file, database)
    expect([status, stderr]).toEqual([1, `petstore: ${database} was replaced during the backup. Try again.\n`])
    expect(readdirSync(dirname(file))).toEqual([])
  })

  test('of a missing store, or of another program’s file, is refused', async () => {
    for (const make of [() => undefined, (path: string) => writeFileSync(path, 'Dear diary,')]) {
      const [database, file] = [temporaryFile('a.db'), temporaryFile('backup.db')]
      make(database)
      expect(await run(['backup', file, '--database', database])).toEqual(
        ended(1, /There is no store at |is not a petstore database\. Name another file\./),
      )
      expect(existsSync(file)).toBe(false)
    }
  })
})

test('backup and restore refuse PostgreSQL, and show no password', async () => {
  const env = { PETSTORE_DATABASE: 'postgres://petstore:hunter2@127.0.0.1:1/pets' }
  for (const command of ['backup', 'restore']) {
    const { status, stderr } = await run([command, temporaryFile('backup.db')], { env })
    expect(status).toBe(1)
    expect(stderr).toContain('Back up PostgreSQL with its own tools')
    expect(stderr).not.toContain('hunter2')
  }
})
