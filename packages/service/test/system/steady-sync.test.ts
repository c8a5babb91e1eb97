// A large file is synced while it is written, which strace shows.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { root } from '../../../../test/support/process.ts'
import { noStrace, straced } from '../../../../test/support/strace.ts'

/** "Writes" until strace has recorded three syncs, for at most 20 s. */
const WRITING = `
  import { readFileSync } from 'node:fs'
  import { syncSteadily } from ${JSON.stringify(join(root, 'packages/service/src/system/steady-sync.ts'))}
  const [path, calls] = process.argv.slice(-2)
  const syncs = () => readFileSync(calls, 'utf8').split('fdatasync(').length - 1
  syncSteadily(path, () => {
    for (let n = 0; n < 2_000 && syncs() < 3; n++) Bun.sleepSync(10)
    process.stdout.write(String(syncs() >= 3))
  })`

test.skipIf(noStrace !== '')(`syncs the file before the writing ends${noStrace}`, async () => {
  const [path, calls] = [temporaryFile('large'), temporaryFile('calls')]
  await Bun.write(path, 'x')
  const command = straced(['-o', calls, '-e', 'trace=fdatasync'], [process.execPath, '-e', WRITING, '--', path, calls])
  const { stdout, exitCode } = Bun.spawnSync(command, { stderr: 'inherit' })
  expect([stdout.toString(), exitCode]).toEqual(['true', 0])
})
