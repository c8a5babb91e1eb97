// The version of a store comes from the header of the log's index in shared memory, which shows every commit of other
// processes. Mapping it does not release SQLite's locks.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { Statements } from '../../../src/store/sqlite/connect/statements.ts'
import { DataVersion, MAPPED_AFTER_MS, walIndexHeader } from '../../../src/store/sqlite/connect/wal-index.ts'
import { type Runtime, replaceRuntime } from '../../../src/system/runtime.ts'

const LINUX = process.platform === 'linux'

/** A program that commits once for each line of its standard input, and then prints a line. */
const COMMITTING = `
  const database = new (require('bun:sqlite').Database)(process.argv[1])
  database.run('PRAGMA busy_timeout = 2000')
  for await (const line of console) {
    database.run("INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('x', 1, 'sold', 1, 1)")
    console.log(line)
  }
`

const due: (() => void)[] = []
let real: Runtime
beforeAll(() => {
  real = replaceRuntime({} as Runtime)
  const startTimer: Runtime['startTimer'] = (act, ms) => {
    if (ms === MAPPED_AFTER_MS) due.push(act)
    return real.startTimer(ms === MAPPED_AFTER_MS ? () => undefined : act, ms)
  }
  replaceRuntime({ ...real, startTimer })
})
afterAll(() => void replaceRuntime(real))

/** As after MAPPED_AFTER_MS: stores read shared memory instead of querying SQLite. */
const useSharedMemory = () => {
  for (const act of due.splice(0)) act()
}

test('changes with each commit of another process, and only then', async () => {
  const { path, store } = await storeWithKey()
  const other = Bun.spawn([process.execPath, '-e', COMMITTING, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const acknowledged = other.stdout.getReader()
  let last = store.version()
  for (let n = 0; n < 200; n++) {
    if (n === 100) useSharedMemory()
    expect(store.version()).toEqual(last)
    other.stdin.write('commit\n')
    other.stdin.flush()
    await acknowledged.read()
    const next = store.version()
    expect(next.data).not.toBe(last.data)
    expect(next.keys).not.toBe(last.keys)
    last = next
  }
  other.kill()
  await store.close()
})

describe.if(LINUX)("the header of the log's index", () => {
  test('is missing if the store is not open, and empty if it has no file', () => {
    expect(walIndexHeader(temporaryFile('petstore.db'))).toBeUndefined()
    expect(walIndexHeader(':memory:')).toHaveLength(0)
  })

  /** A version that reads the header. `answered` is called after each query to SQLite. */
  async function watched(answered: () => void) {
    const connection = openConnection(temporaryFile('petstore.db'))
    const statements = new Statements(connection)
    const watching = {
      query: (sql: string) => {
        const { values } = statements.query<[bigint]>(sql)
        const valuesAndCall = () => {
          const rows = values()
          answered()
          return rows
        }
        return { values: valuesAndCall }
      },
    }
    const version = new DataVersion(connection, watching as unknown as Statements)
    version.current()
    useSharedMemory()
    return { connection, version }
  }

  test('shows a commit between the response of SQLite and its use', async () => {
    let commit = () => {}
    const { connection, version } = await watched(() => commit())
    const other = new Database(connection.database.filename)
    commit = () => {
      commit = () => {}
      other.run("INSERT INTO keys (name, hash, read_only, created_at) VALUES ('k', 'h', 0, 1)")
    }
    const { data } = version.current()
    expect(version.current().data).not.toBe(data)
    other.close()
    connection.close()
  })

  test('changes if a query fails, and shows a commit from before the failure in the next query', async () => {
    let answered = () => {}
    const { connection, version } = await watched(() => answered())
    const before = version.current().data as number
    answered = () => {
      throw new Error('the disk fails')
    }
    const other = new Database(connection.database.filename)
    other.run('PRAGMA user_version = 1000')
    const failed = version.current().data as number
    answered = () => {}
    expect(failed).toBeGreaterThan(before)
    expect(version.current().data).toBeGreaterThan(failed)
    other.close()
    connection.close()
  })

  test('needs no query while nothing is committed', async () => {
    let queries = 0
    const { connection, version } = await watched(() => {
      queries++
    })
    version.current()
    const before = queries
    for (let n = 0; n < 100; n++) version.current()
    expect(queries).toBe(before)
    connection.database.run('PRAGMA user_version = 1000')
    version.current()
    expect(queries).toBe(before + 1)
    connection.close()
  })

  test("is mapped without releasing SQLite's lock on the index", async () => {
    const { path, store } = await storeWithKey()
    const before = locksOn(`${path}-shm`)
    expect(before).toBeGreaterThan(0)
    expect(walIndexHeader(path)).toBeDefined()
    expect(locksOn(`${path}-shm`)).toBe(before)
    await store.close()
  })
})

/** How many locks this process holds on the file (proc_locks(5)). */
function locksOn(path: string): number {
  const { ino } = statSync(path)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length
}
