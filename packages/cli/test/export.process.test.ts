// The files that an export writes: simultaneous exports, existing files and links, and interruptions.

import { expect, test } from 'bun:test'
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { startGate } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { launcher, run } from '../../../test/support/process.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { startService } from '../../../test/support/service.ts'
import { canMount, smallDisk, WHY_SKIPPED } from '../../../test/support/small-disk.ts'
import { beside } from '../../../test/support/stores.ts'
import { writeFile } from '../src/terminal/output-file.ts'

const PETS = 250
const service = await startService()
const { env } = service
await Promise.all(Array.from({ length: PETS }, () => service.store.createPet(newPet(), 1n)))

/** Holds every page after the first. */
const gated = () => startGate(service, ({ url }) => url.includes('cursor'))

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').length

test('an export is complete if another export writes the same file at the same time', async () => {
  const { env, open, untilHeld } = gated()
  const file = temporaryFile('pets.ndjson')
  const exports = [1, 2].map(() => run(['pets', 'export', file], { env }))
  await untilHeld(2)
  open()
  for (const ended of await Promise.all(exports)) {
    expect(ended).toEqual({ status: 0, stdout: '', stderr: `Exported ${PETS} pets to ${file}.\n` })
  }
  expect([linesOf(file), beside(file)]).toEqual([PETS, []])
})

test('an export follows a link to standard output', async () => {
  const link = temporaryFile('link.ndjson')
  symlinkSync('/dev/stdout', link)
  const { status, stderr, stdout } = await run(['pets', 'export', link], { env })
  expect([status, stderr, stdout.trimEnd().split('\n').length]).toEqual([0, `Exported ${PETS} pets.\n`, PETS])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
})

test('appends to an open file', async () => {
  const file = temporaryFile('all.ndjson')
  const command = ['sh', '-c', 'echo before > "$0"; "$@" /dev/fd/5 5>> "$0"; "$@" /dev/stdout >> "$0"', file, launcher]
  const appending = await run(['pets', 'export', '--format', 'ndjson'], { env, command })
  expect(appending).toMatchObject({ status: 0, stdout: '' })
  expect([readFileSync(file, 'utf8').slice(0, 7), linesOf(file)]).toEqual(['before\n', 2 * PETS + 1])
})

test.skipIf(!canMount)(`an export leaves the file unchanged if the disk fills up${WHY_SKIPPED}`, async () => {
  using disk = smallDisk('size=64k')
  const file = `${disk.folder}/pets.ndjson`
  writeFileSync(file, 'before')
  disk.fill(4096)
  // The first write succeeds, but writes only 4,096 bytes.
  const { message } = await rejectionOf(writeFile(file, ['x'.repeat(5_000)]))
  expect(message).toBe(`${file} cannot be written (no space left on device).`)
  expect([readFileSync(file, 'utf8'), beside(file)]).toEqual(['before', ['ballast']])
})

test('an export removes its unfinished file on SIGTERM, and reports it', async () => {
  const { env, untilHeld } = gated()
  const file = temporaryFile('pets.ndjson')
  writeFileSync(file, 'before')
  const child = Bun.spawn([launcher, 'pets', 'export', file], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilHeld(1)
  expect(beside(file).length).toBe(1)
  child.kill('SIGTERM')
  const said = await child.stderr.text()
  const sentence = `petstore: Interrupted. The unfinished export was removed; ${file} was not changed.\n`
  expect([await child.exited, said]).toEqual([130, sentence])
  expect([readFileSync(file, 'utf8'), beside(file)]).toEqual(['before', []])
})
