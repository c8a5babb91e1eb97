// The files that an export writes: simultaneous exports, existing files and links, and interruptions.

import { describe, expect, test } from 'bun:test'
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { passOn, startFake } from '../../../../test/support/fake.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { launcher, run } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { startService } from '../../../../test/support/service.ts'
import { canMount, smallDisk, WHY_SKIPPED } from '../../../../test/support/small-disk.ts'
import { beside } from '../../../../test/support/stores.ts'
import { until } from '../../../../test/support/until.ts'
import { writeFile } from '../../src/terminal/output-file.ts'

const PETS = 250
const service = await startService()
const { env } = service
await Promise.all(Array.from({ length: PETS }, () => service.store.createPet(newPet(), 1n)))

/** A proxy of the service that holds every page after the first until `open` is called. */
async function gated() {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const { url } = startFake(async (request) => {
    if (request.url.includes('cursor')) {
      waiting++
      await gate.promise
    }
    return passOn(request, service)
  })
  return {
    env: { ...service.env, PETSTORE_URL: url },
    open: gate.resolve,
    until: async (count: number) => {
      await until('the requests are waiting', () => waiting >= count)
    },
  }
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').length

describe('an export', () => {
  test('is complete if another export writes the same file at the same time', async () => {
    const { env, open, until } = await gated()
    const file = temporaryFile('pets.ndjson')
    const exports = [1, 2].map(() => run(['pets', 'export', file], { env }))
    await until(2)
    open()
    for (const ended of await Promise.all(exports)) {
      expect(ended).toEqual({ status: 0, stdout: '', stderr: `Exported ${PETS} pets to ${file}.\n` })
    }
    expect([linesOf(file), beside(file)]).toEqual([PETS, []])
  })

  test('follows a link to standard output', async () => {
    const link = temporaryFile('link.ndjson')
    symlinkSync('/dev/stdout', link)
    const { status, stderr, stdout } = await run(['pets', 'export', link], { env })
    expect([status, stderr, stdout.trimEnd().split('\n').length]).toEqual([0, `Exported ${PETS} pets.\n`, PETS])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })

  test.skipIf(!canMount)(`leaves the file unchanged if the disk fills up${WHY_SKIPPED}`, async () => {
    using disk = smallDisk('size=64k')
    const file = `${disk.folder}/pets.ndjson`
    writeFileSync(file, 'before')
    disk.fill(4096)
    // The first write succeeds, but writes only 4,096 bytes.
    const { message } = await rejectionOf(writeFile(file, ['x'.repeat(5_000)]))
    expect(message).toBe(`${file} cannot be written (no space left on device).`)
    expect([readFileSync(file, 'utf8'), beside(file)]).toEqual(['before', ['ballast']])
  })

  test('removes its unfinished file on SIGTERM, and says so', async () => {
    const { env, until } = await gated()
    const file = temporaryFile('pets.ndjson')
    writeFileSync(file, 'before')
    const child = Bun.spawn([launcher, 'pets', 'export', file], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await until(1)
    expect(beside(file).length).toBe(1)
    child.kill('SIGTERM')
    const said = await child.stderr.text()
    const sentence = `petstore: Interrupted. The unfinished export was removed; ${file} was not changed.\n`
    expect([await child.exited, said]).toEqual([130, sentence])
    expect([readFileSync(file, 'utf8'), beside(file)]).toEqual(['before', []])
  })
})
