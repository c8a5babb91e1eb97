// Unfinished files: each has a name of its own, and is removed by others only when its writer is gone.

import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { createPartial, removeAbandoned, replaceFile } from '../../src/system/partial.ts'

const LINUX = process.platform === 'linux'

test.skipIf(!LINUX)(
  `an unfinished file is abandoned only once its writer has closed it${LINUX ? '' : ' (Linux only)'}`,
  () => {
    const target = temporaryFile('a.db')
    const folder = dirname(target)
    const [one, other] = [createPartial(target, 0o600), createPartial(target, 0o600)]
    const all = () => removeAbandoned(folder, (name) => name === 'a.db')
    expect(all()).toEqual([])
    // As SQLite does in the same process.
    writeFileSync(one.path, 'x')
    expect(all()).toEqual([])
    closeSync(one.descriptor)
    writeFileSync(`${one.path}-journal`, 'x')
    expect(removeAbandoned(folder, (name) => name === 'b.db')).toEqual([])
    expect(all().map((name) => `${folder}/${name}`)).toEqual([one.path])
    expect(readdirSync(folder).map((name) => `${folder}/${name}`)).toEqual([other.path])
    closeSync(other.descriptor)
    all()
    expect(existsSync(other.path)).toBe(false)
  },
)

describe('replaceFile', () => {
  const replace = (path: string) => replaceFile(path, 0o644, (descriptor) => writeFileSync(descriptor, 'new'))
  const modeOf = (path: string) => statSync(path).mode & 0o777

  test('replaces what links lead to, relative to the folder of each, and keeps the links', async () => {
    const folder = dirname(temporaryFile('x'))
    for (const each of ['a/b', 'a/c']) mkdirSync(`${folder}/${each}`, { recursive: true })
    writeFileSync(`${folder}/a/old`, 'old')
    // The `..` in `b/link` is the folder above `a/b`, not the one above the link `b`.
    symlinkSync('a/b', `${folder}/b`)
    symlinkSync('../old', `${folder}/a/b/link`)
    symlinkSync('../missing', `${folder}/a/b/dangling`)
    symlinkSync('b/link', `${folder}/chain`)
    for (const link of ['b/link', 'chain', 'b/dangling']) {
      await replace(`${folder}/${link}`)
      expect([lstatSync(`${folder}/${link}`).isSymbolicLink(), readFileSync(`${folder}/${link}`, 'utf8')]).toEqual([
        true,
        'new',
      ])
    }
    expect(readdirSync(`${folder}/a`).sort()).toEqual(['b', 'c', 'missing', 'old'])
  })

  test('keeps the mode of a file, and gives a new one the mode asked for', async () => {
    const file = temporaryFile('a')
    await replace(file)
    expect(modeOf(file)).toBe(0o644 & ~process.umask())
    for (const mode of [0o600, 0o640, 0o666]) {
      chmodSync(file, mode)
      await replace(file)
      expect(modeOf(file)).toBe(mode)
    }
  })

  test('writes into a pipe, which stays one', async () => {
    const pipe = temporaryFile('pipe')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    const reader = Bun.spawn(['cat', pipe], { timeout: 10_000 })
    await replace(pipe)
    expect([await reader.stdout.text(), statSync(pipe).isFIFO(), readdirSync(dirname(pipe))]).toEqual([
      'new',
      true,
      ['pipe'],
    ])
  })

  test('refuses a circle of links and a folder, and leaves them', async () => {
    const [circle, folder] = [temporaryFile('circle'), temporaryFile('folder')]
    symlinkSync(circle, circle)
    mkdirSync(folder)
    expect((await rejectionOf(replace(circle))) as NodeJS.ErrnoException).toMatchObject({ code: 'ELOOP' })
    expect((await rejectionOf(replace(folder))) as NodeJS.ErrnoException).toMatchObject({ code: 'EISDIR' })
    expect([readdirSync(dirname(circle)), readdirSync(dirname(folder))]).toEqual([['circle'], ['folder']])
  })
})
