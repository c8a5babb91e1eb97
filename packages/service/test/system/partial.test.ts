// Unfinished files: each has a name of its own, and is removed by others only when its writer is gone.

import { expect, test } from 'bun:test'
import { closeSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { createPartial, removeAbandoned } from '../../src/system/partial.ts'

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
