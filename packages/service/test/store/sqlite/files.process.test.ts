// Store files that links lead to, and in read-only folders.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { ask, launcher, run, runProcess, serve } from '../../../../../test/support/process.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { storeWithKey } from '../../../../../test/support/sqlite.ts'
import { add, made, PET, rows } from '../../../../../test/support/stores.ts'
import { noStrace, straced } from '../../../../../test/support/strace.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { keptIn, served } from '../restored.ts'

/** Commands that open the store at `path`. They read `source` and write `target`. */
const commandsOn = (path: string, source: string, target: string) => [
  `serve --port 0 --database ${path}`,
  `copy --from ${source} --to ${path}`,
  `keys list --database ${path}`,
  `migrate --check --database ${path}`,
  `backup ${target} --database ${path}`,
  `recovered --yes --database ${path}`,
]

/** Expects that every command is rejected with these parts of a message, and that `unchanged()` stays the same. */
async function expectRefused(commands: readonly string[], unchanged: () => unknown, ...parts: (string | RegExp)[]) {
  const before = unchanged()
  for (const command of commands) {
    const { status, stdout, stderr } = await run(command.split(' '))
    expect([command, status, stdout, unchanged()]).toEqual([command, 1, '', before])
    for (const part of parts) expect(stderr).toMatch(part)
  }
}

test('a store behind a symbolic link is complete after a crash during a checkpoint', async () => {
  const database = temporaryFile('petstore.db')
  const service = await serve(['--database', database])
  await add(service, 200)
  await service.stop('SIGKILL')
  // Simulates a checkpoint that wrote only the first page, which has the number of pages.
  const copy = temporaryFile('copy.db')
  for (const suffix of ['', '-wal']) fs.copyFileSync(database + suffix, copy + suffix)
  new Database(copy).run('PRAGMA wal_checkpoint(TRUNCATE)')
  const file = fs.openSync(database, 'r+')
  fs.writeSync(file, fs.readFileSync(copy), 0, 4096, 0)
  fs.closeSync(file)
  expect(fs.statSync(database).size).toBeLessThan(fs.statSync(copy).size)

  const link = temporaryFile('link.db')
  fs.symlinkSync(database, link)
  const backup = temporaryFile('backup.db')
  expect(await run(['backup', backup, '--database', link])).toMatchObject({ status: 0 })
  const again = await serve(['--database', link])
  expect((await ask('POST', `${again.url}/pets`, service.key, PET)).status).toBe(201)
  await again.stop()
  expect([backup, database].map((path) => rows(path)[0]?.length)).toEqual([200, 201])
})

test('a store behind a symbolic link is created at the target of the link', async () => {
  const [database, link] = [temporaryFile('petstore.db'), temporaryFile('link.db')]
  fs.symlinkSync(database, link)
  await (await serve(['--database', link])).stop()
  expect(rows(database)[1]?.length).toBe(1)
})

test('a store behind a symbolic link with a cyclic link is rejected by every command', async () => {
  const { database } = await made(1)
  const [one, other] = [temporaryFile('one.db'), temporaryFile('other.db')]
  fs.symlinkSync(other, one)
  fs.symlinkSync(one, other)
  const target = temporaryFile('backup.db')
  const restores = [`restore ${one} --database ${database}`, `restore ${database} --database ${one}`]
  const commands = [...commandsOn(one, database, target), ...restores]
  await expectRefused(commands, () => fs.existsSync(target), /cannot be reached \(too many symbolic links.*\n$/)
})

/** Returns the log that a killed service leaves, which has its last pet. */
async function leftLog() {
  const { path, store, by } = await storeWithKey()
  await store.createPet(newPet(), by)
  const log = fs.readFileSync(`${path}-wal`)
  await store.close()
  return log
}

function emptyFile() {
  const path = temporaryFile('petstore.db')
  fs.writeFileSync(path, '')
  return path
}

const contentsOf = (file: string) => (fs.existsSync(file) ? Bun.hash(fs.readFileSync(file)) : undefined)

async function copyOf(pets: number) {
  const { database } = await made(pets)
  const backup = temporaryFile('petstore.db')
  await run(['backup', backup, '--database', database])
  return backup
}

test.each([
  ['a backup', () => copyOf(2), 'is not the log of'],
  ['a missing file', () => temporaryFile('petstore.db'), 'is missing, but its log is still there'],
  ['an empty file', emptyFile, 'is missing, but its log is still there'],
] as const)(
  'a log that is not the log of its file makes every command reject %s next to it, and neither changes',
  async (name, make, sentence) => {
    const [path, log, other] = [await make(), await leftLog(), temporaryFile('other.db')]
    const link = temporaryFile('link.db')
    fs.symlinkSync(path, link)
    fs.writeFileSync(`${path}-wal`, log)
    const all = [...commandsOn(link, (await made(1)).database, other), `restore ${path} --database ${other}`]
    // The other commands reject a missing or an empty file anyway.
    const commands = all.slice(0, { 'a backup': all.length, 'an empty file': -1, 'a missing file': 2 }[name])
    const contents = () => [path, `${path}-wal`].map(contentsOf)
    await expectRefused(commands, contents, sentence, `${path}-wal`, 'petstore restore')
    if (name === 'a backup') expect(await run(['check-backup', path])).toMatchObject({ status: 2 })
  },
)

test('a log that is not the log of its file is kept by a restore, which replaces the backup that was copied next to it', async () => {
  const [path, log, backup] = [await copyOf(2), await leftLog(), await copyOf(3)]
  fs.writeFileSync(`${path}-wal`, log)
  const before = [path, `${path}-wal`].map(contentsOf)
  const { status, stdout } = await run(['restore', backup, '--database', path])
  expect(status).toBe(0)
  expect(keptIn(stdout).map(contentsOf)).toEqual(before)
  expect([await served(path), await served(backup)]).toEqual([3, 3])
})

test('a log that is not the log of its file is named if a file in WAL mode is damaged with it, and neither changes', async () => {
  const [{ database }, { database: other }] = [await made(1), await made(500)]
  const store = await openStore(other, { now: Date.now })
  for (let n = 0; n < 100; n++) await store.createPet(newPet({ name: 'x'.repeat(200) }), 1n)
  fs.copyFileSync(`${other}-wal`, `${database}-wal`)
  await store.close()
  const before = [database, `${database}-wal`].map(contentsOf)
  const { message } = await rejectionOf(openStore(database, { now: Date.now }))
  expect(message).toMatch(/petstore\.db is damaged\. .*petstore\.db-wal can be the cause/)
  expect([database, `${database}-wal`].map(contentsOf)).toEqual(before)
})

test('a log that is not the log of its file is not seen in a backup that several commands, or several workers, open together', async () => {
  const path = await copyOf(2)
  const commands = Array.from({ length: 4 }, (_, n) => ['keys', 'create', '--name', `till ${n}`, '--database', path])
  const ends = await Promise.all(commands.map((args) => runProcess(args)))
  expect(ends.map(({ status }) => status)).toEqual([0, 0, 0, 0])
  expect(await served(path)).toBe(2)
  if (process.platform !== 'linux') return
  const service = await serve(['--workers', '4', '--database', await copyOf(2)])
  expect(await service.stop()).toBe(0)
})

test('every command rejects a store with two hard links, until one is removed', async () => {
  const [{ database }, backup] = [await made(2), await made(1)]
  const other = temporaryFile('other.db')
  fs.linkSync(database, other)
  const target = temporaryFile('target.db')
  const commands = [
    ...commandsOn(other, backup.database, target),
    `restore ${backup.database} --database ${other}`,
    `copy --from ${database} --to ${target}`,
  ]
  await expectRefused(commands, () => fs.existsSync(target), /(petstore|other)\.db has 2 names \(hard links\)/)
  fs.unlinkSync(other)
  expect((await run(['keys', 'list', '--database', database])).status).toBe(0)
})

test.skipIf(noStrace !== '')(
  `new folders and their parents are durable before the service listens${noStrace}`,
  async () => {
    const folder = fs.realpathSync(dirname(temporaryFile('x')))
    const trace = join(folder, 'trace')
    // With -D the started process is the service, and strace is its child.
    const command = straced(['-D', '-y', '-o', trace, '-e', 'trace=fsync'])
    const env = { PETSTORE_BACKUP_DIR: join(folder, 'backups/of/petstore') }
    const service = await serve(['--database', join(folder, 'data/of/petstore.db')], { command, env })
    const synced = fs.readFileSync(trace, 'utf8')
    await service.stop()
    for (const place of ['', '/data', '/data/of', '/backups', '/backups/of']) {
      expect(synced).toMatch(new RegExp(`fsync\\(\\d+<${folder}${place}>`))
    }
  },
)

describe('a read-only folder', () => {
  /** Runs as nobody, because root can write to read-only folders. */
  const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', launcher]
  const root = process.getuid?.() === 0
  const can = !root || Bun.spawnSync([...nobody, '--version'], { stdio: ['ignore', 'ignore', 'ignore'] }).exitCode === 0
  const command = root ? nobody : [launcher]

  test.skipIf(!can)(
    `a read-only folder makes a start, a backup and a restore fail with a message${can ? '' : ' (another user cannot run this program)'}`,
    async () => {
      const { database } = await made(1)
      fs.chmodSync(database, 0o666)
      fs.chmodSync(dirname(database), 0o555)
      for (const [args, sentence] of [
        [['serve', '--port', '0'], `${database} cannot be written to. Let this user write to it and to its folder.`],
        [['keys', 'list'], `${database} cannot be written to. Let this user write to it and to its folder.`],
        [['backup', temporaryFile('backup.db')], 'could not be written: permission denied.'],
        [['restore', database], `${database} could not be written: permission denied.`],
      ] as const) {
        const { status, stderr } = await run([...args, '--database', database], { command, cwd: '/' })
        expect([status, stderr.trim().split('\n').length]).toEqual([1, 1])
        expect(stderr).toContain(sentence)
      }
      fs.chmodSync(dirname(database), 0o755)
    },
  )

  test.skipIf(!can)(
    `a read-only folder is reported with chmod if the user owns it, and otherwise with chown${can ? '' : ' (another user cannot run this program)'}`,
    async () => {
      const folderOf = (user: number, mode: number) => {
        const folder = dirname(temporaryFile('x'))
        if (root) fs.chownSync(folder, user, user)
        fs.chmodSync(folder, mode)
        return folder
      }
      const [data, own] = [folderOf(65534, 0o755), folderOf(65534, 0o555)]
      const other = root ? folderOf(0, 0o755) : '/'
      const user = root ? 65534 : process.getuid?.()
      for (const [folder, path, env, advice] of [
        [own, 'data/petstore.db', {}, `Let this user write to the folder: chmod u+rwx ${own}. `],
        [other, 'data/petstore.db', {}, `Give the folder to this user: chown ${user} ${other}. `],
        [data, 'petstore.db', { PETSTORE_BACKUP_DIR: join(other, 'backups') }, `chown ${user} ${other}. `],
      ] as const) {
        const flags = ['serve', '--port', '0', '--database', join(folder, path)]
        const { status, stderr } = await run(flags, { command, cwd: '/', env })
        expect([status, stderr]).toEqual([1, expect.stringContaining(advice)])
      }
      fs.chmodSync(own, 0o755)
    },
  )
})
