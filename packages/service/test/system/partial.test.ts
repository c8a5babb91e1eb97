// Unfinished files have unique names, and are removed by others only after their writer has ended.

import { expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFile } from '../../../../test/support/files.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { createPartial, removeAbandoned, replaceFile } from '../../src/system/partial.ts'

const LINUX = process.platform === 'linux'

test.skipIf(!LINUX)(
  `an unfinished file is abandoned only after its writer has closed it${LINUX ? '' : ' (Linux only)'}`,
  () => {
    const target = temporaryFile('a.db')
    const folder = dirname(target)
    const [one, other] = [createPartial(target, 0o600), createPartial(target, 0o600)]
    const all = () => removeAbandoned(folder, (name) => name === 'a.db')
    expect(all()).toEqual([])
    // Opens and closes the file in the same process, like SQLite.
    fs.writeFileSync(one.path, 'x')
    expect(all()).toEqual([])
    fs.closeSync(one.descriptor)
    fs.writeFileSync(`${one.path}-journal`, 'x')
    expect(removeAbandoned(folder, (name) => name === 'b.db')).toEqual([])
    expect(all().map((name) => `${folder}/${name}`)).toEqual([one.path])
    expect(fs.readdirSync(folder).map((name) => `${folder}/${name}`)).toEqual([other.path])
    fs.closeSync(other.descriptor)
    all()
    expect(fs.existsSync(other.path)).toBe(false)
  },
)

/** The files of the folder that this process has open, on Linux. */
function openIn(folder: string): string[] {
  const descriptors = LINUX ? fs.readdirSync('/proc/self/fd') : []
  const paths = descriptors.map((name) => {
    const path = `/proc/self/fd/${name}`
    return fs.lstatSync(path, { throwIfNoEntry: false }) ? fs.readlinkSync(path) : ''
  })
  return paths.filter((path) => path.startsWith(folder))
}

const writeFile = promisify<number, string, void>(fs.writeFile)
const replace = (path: string) => replaceFile(path, 0o644, (descriptor) => fs.writeFileSync(descriptor, 'new'))
const modeOf = (path: string) => fs.statSync(path).mode & 0o777

test('replaceFile replaces the target of links, relative to each link, and keeps the links', async () => {
  const folder = dirname(temporaryFile('x'))
  for (const each of ['a/b', 'a/c']) fs.mkdirSync(`${folder}/${each}`, { recursive: true })
  fs.writeFileSync(`${folder}/a/old`, 'old')
  // The `..` in `b/link` is the folder above `a/b`, not the one above the link `b`.
  fs.symlinkSync('a/b', `${folder}/b`)
  fs.symlinkSync('../old', `${folder}/a/b/link`)
  fs.symlinkSync('../missing', `${folder}/a/b/dangling`)
  fs.symlinkSync('b/link', `${folder}/chain`)
  for (const link of ['b/link', 'chain', 'b/dangling']) {
    await replace(`${folder}/${link}`)
    const at = `${folder}/${link}`
    expect([fs.lstatSync(at).isSymbolicLink(), fs.readFileSync(at, 'utf8')]).toEqual([true, 'new'])
  }
  expect(fs.readdirSync(`${folder}/a`).sort()).toEqual(['b', 'c', 'missing', 'old'])
})

test('replaceFile keeps the mode of a file, and applies the requested mode to a new file', async () => {
  const file = temporaryFile('a')
  await replace(file)
  expect(modeOf(file)).toBe(0o644 & ~process.umask())
  for (const mode of [0o600, 0o640, 0o666]) {
    fs.chmodSync(file, mode)
    await replace(file)
    expect(modeOf(file)).toBe(mode)
  }
})

test('replaceFile writes to a pipe without replacing it', async () => {
  const pipe = temporaryFile('pipe')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  const reader = Bun.spawn(['cat', pipe], { timeout: 10_000 })
  await replace(pipe)
  const read = await reader.stdout.text()
  expect([read, fs.statSync(pipe).isFIFO(), fs.readdirSync(dirname(pipe))]).toEqual(['new', true, ['pipe']])
})

test.each(['a', 'r+'])('replaceFile writes to a descriptor opened with %s at its own position', async (flag) => {
  const file = temporaryFile('a')
  fs.writeFileSync(file, 'before, after')
  const descriptor = fs.openSync(file, flag)
  if (flag === 'r+') fs.readSync(descriptor, Buffer.alloc('before'.length))
  await replaceFile(`/dev/fd/${descriptor}`, 0o644, (to) => writeFile(to, ' and'))
  await replaceFile(`/dev/fd/${descriptor}`, 0o644, (to) => fs.writeFileSync(to, ' new'))
  fs.closeSync(descriptor)
  expect(fs.readFileSync(file, 'utf8')).toBe(flag === 'a' ? 'before, after and new' : 'before and new')
})

test('replaceFile keeps the file if writing fails, and leaves no other file and no descriptor', async () => {
  const file = temporaryFile('a')
  const folder = dirname(file)
  await replace(file)
  const failed = new Error('no more rows')
  const failing = () => Promise.reject(failed)
  expect(await rejectionOf(replaceFile(file, 0o644, failing))).toBe(failed)
  expect([fs.readFileSync(file, 'utf8'), fs.readdirSync(folder)]).toEqual(['new', ['a']])
  fs.writeFileSync(`${file}.1-00000000.partial`, '')
  removeAbandoned(folder, () => true)
  expect(openIn(folder)).toEqual([])
})

test('replaceFile rejects a circle of links and a folder, and leaves them unchanged', async () => {
  const [circle, folder] = [temporaryFile('circle'), temporaryFile('folder')]
  fs.symlinkSync(circle, circle)
  fs.mkdirSync(folder)
  expect((await rejectionOf(replace(circle))) as NodeJS.ErrnoException).toMatchObject({ code: 'ELOOP' })
  expect((await rejectionOf(replace(folder))) as NodeJS.ErrnoException).toMatchObject({ code: 'EISDIR' })
  expect([fs.readdirSync(dirname(circle)), fs.readdirSync(dirname(folder))]).toEqual([['circle'], ['folder']])
})
