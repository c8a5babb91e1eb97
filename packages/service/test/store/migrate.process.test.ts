// `petstore migrate` on both kinds of stores.

import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../../test/support/files.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { run } from '../../../../test/support/process.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema.ts'

const cluster = await sharedCluster()

function emptyFile(): string {
  const path = temporaryFile('petstore.db')
  writeFileSync(path, '')
  return path
}

describe('petstore migrate', () => {
  const stores: [string, () => Promise<string>][] = [
    ['PostgreSQL', async () => cluster.newDatabase()],
    ['an empty file', async () => emptyFile()],
  ]
  test('--check of a file that does not exist says so', async () => {
    const { status, stdout, stderr } = await run(['migrate', '--check', '--database', temporaryFile('petstore.db')])
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('There is no store at /')])
  })

  for (const [what, newStore] of stores) {
    test(`--check changes nothing, --apply migrates: ${what}`, async () => {
      const env = { PETSTORE_DATABASE: await newStore() }
      const migrate = (flag: string) => run(['migrate', flag], { env })
      for (const _ of [1, 2]) {
        const { status, stdout } = await migrate('--check')
        expect(status).toBe(1)
        expect(stdout).toContain(`schema 0 of ${NEWEST_VERSION}. Run petstore migrate --apply`)
      }
      for (const flag of ['--apply', '--apply', '--check']) {
        const { status, stdout } = await migrate(flag)
        expect(status).toBe(0)
        expect(stdout).toContain(`schema ${NEWEST_VERSION}, up to date`)
      }
    })
  }

  test('needs --check or --apply', async () => {
    expect((await run(['migrate'])).status).not.toBe(0)
    expect((await run(['migrate', '--check', '--apply'])).status).toBe(2)
  })
})
