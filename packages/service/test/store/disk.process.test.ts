// A server on a failing or full disk: it acknowledges nothing that it did not write, keeps reading, and recovers
// without a restart.
// A full disk is a small tmpfs, which needs root. strace injects failing system calls.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { cursorAfter } from '../../../../test/support/cursors.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { ask, type Running, serve } from '../../../../test/support/process.ts'
import { noStrace } from '../../../../test/support/strace.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { RETRY_AFTER_S } from '../../src/http/response/response.ts'

const PET = petBody({ name: 'x'.repeat(TEXT_LENGTH_MAX) })

const create = ({ url, key }: Running) => ask('POST', `${url}/pets`, key, PET)
const list = ({ url, key }: Running) => ask('GET', `${url}/pets?limit=100`, key)
const idOf = (text: string) => Number(/"id":(\d+)/.exec(text)?.[1])
const codeOf = (text: string) => JSON.parse(text).code

describe.skipIf(noStrace !== '')(`failing system calls${noStrace}`, () => {
  for (const [description, calls] of [
    ['a failing sync', 'fsync,fdatasync'],
    ['a failing write', 'pwrite64'],
  ] as const) {
    test(`${description}: creates fail with 503 and add nothing, lists work, and creates recover`, async () => {
      const cwd = mkdtempSync(temporaryFile('disk-'))
      const server = await serve([], { cwd })
      expect((await create(server)).status).toBe(201)
      const before = descriptorsOfLog(server.pid)
      const mend = await inject(server.pid, calls)
      for (let n = 0; n < 3; n++) {
        const refused = await create(server)
        expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, RETRY_AFTER_S])
        expect(codeOf(refused.text)).toBe('unavailable')
        expect((await list(server)).text.match(/"id"/g)).toHaveLength(1)
      }
      await mend()
      const added = await create(server)
      expect(added.status).toBe(201)
      // After an I/O error the next create uses a new connection, because the state of the file is unknown.
      expect(descriptorsOfLog(server.pid)).not.toEqual(before)
      expect((await list(server)).text.match(/"id":\d+/g)).toEqual(['"id":1', `"id":${idOf(added.text)}`])
      await server.stop('SIGKILL')
      checkFile(join(cwd, 'data/petstore.db'), [1, idOf(added.text)])
    })
  }

  test('failing reads: many concurrent lists fail with 503 and then recover', async () => {
    const cwd = mkdtempSync(temporaryFile('disk-'))
    const server = await serve([], { cwd, env: { PETSTORE_LOG_LEVEL: 'silent' } })
    // More than SQLite caches.
    const other = new Database(join(cwd, 'data/petstore.db'))
    other.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO pets (name, category_id, status, created_at, created_by) SELECT 'Rex ' || i, i, 'sold', 1, 1 FROM n`)
    other.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const pages = (from: number) =>
      Promise.all(
        Array.from({ length: 32 }, async (_, n) => {
          const cursor = cursorAfter(BigInt(from + n * 3_000))
          return (await ask('GET', `${server.url}/pets?cursor=${cursor}`, server.key)).status
        }),
      )
    expect(new Set(await pages(0))).toEqual(new Set([200]))
    const mend = await inject(server.pid, 'pread64')
    for (let n = 1; n <= 3; n++) expect(await pages(n * 500)).toContain(503)
    await mend()
    expect(new Set(await pages(2_500))).toEqual(new Set([200]))
    expect((await create(server)).status).toBe(201)
    other.close()
    await server.stop('SIGKILL')
  })
})

/** The file descriptors of the write-ahead log in the process. */
function descriptorsOfLog(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((name) => readlinkSync(join(folder, name)).endsWith('petstore.db-wal'))
}

/** Makes system calls of the process fail with EIO until the returned function is called. */
async function inject(pid: number, calls: string): Promise<() => Promise<void>> {
  const flags = `-f -o /dev/null -e trace=${calls} -e inject=${calls}:error=EIO -p ${pid}`
  const child = Bun.spawn(['strace', ...flags.split(' ')], { stdio: ['ignore', 'ignore', 'pipe'] })
  // strace prints a line once it has attached.
  const reader = child.stderr.getReader()
  await reader.read()
  return async () => {
    child.kill('SIGINT')
    await child.exited
  }
}

function checkFile(path: string, ids: number[]): void {
  using file = new Database(path, { readonly: true })
  expect(file.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(file.query('SELECT id FROM pets ORDER BY id').values().flat()).toEqual(ids)
}
