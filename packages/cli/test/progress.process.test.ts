// The progress that long commands show at a terminal, and the state after Ctrl-C.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { startGate } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { launcher, run } from '../../../test/support/process.ts'
import { childrenOf } from '../../../test/support/process-tree.ts'
import { startService } from '../../../test/support/service.ts'
import { beside, made } from '../../../test/support/stores.ts'
import { openTerminal, type Terminal } from '../../../test/support/terminal.ts'
import { until } from '../../../test/support/until.ts'

const service = await startService()
await Promise.all(Array.from({ length: 250 }, () => service.store.createPet(newPet(), 1n)))

/** A store with so many pets that a backup or a copy takes long. */
async function largeStore(pets: number): Promise<string> {
  const { database: file } = await made(0)
  const database = new Database(file)
  database.run(`INSERT INTO pets (name, category_id, status, created_at, created_by)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets})
    SELECT hex(randomblob(100)), i, 'available', 0, 1 FROM n`)
  database.close()
  return file
}

/**
 * Runs the child process of a command in steps until its unfinished file exists next to `target`, and stops it there,
 * so that the test does not depend on the speed of the machine. Returns a function that continues it.
 */
async function holdChild({ pid }: Terminal, target: string): Promise<() => void> {
  // Other systems have no /proc to find the child.
  if (process.platform !== 'linux') return () => undefined
  const stoppedChild = () => {
    // The launcher has short-lived children before it execs the command.
    const child = /bun|petstore$/.test(readlinkSync(`/proc/${pid}/exe`)) ? childrenOf(pid)[0] : undefined
    if (child) process.kill(child, 'SIGSTOP')
    return child
  }
  const child = await until('the process has started its child', stoppedChild, { everyMs: 1 })
  const hasBegun = () => beside(target).length > 0
  const step = async () => {
    const before = processorNs(child)
    process.kill(child, 'SIGCONT')
    // On a busy machine, the child can wait a long time for a processor.
    const hasWorked = () => hasBegun() || processorNs(child) - before > STEP_NS
    await until('the child has worked', hasWorked, { everyMs: 1 })
    process.kill(child, 'SIGSTOP')
    return hasBegun()
  }
  await until('the child has begun its unfinished file', step, { everyMs: 0 })
  return () => process.kill(child, 'SIGCONT')
}

const STEP_NS = 1e6

/** The processor time of the thread of a process that worked most. */
function processorNs(pid: number): number {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // The thread has ended.
      return 0
    }
  })
  return Math.max(...times)
}

/** So many that a progress bar shows a copy. */
const PETS = 150_000
const CTRL_C = '\x03'

test.each([
  ['a file', '"$FILE"', 'The unfinished export was removed'],
  ['standard output', '--format ndjson > "$FILE"', 'The output is incomplete.'],
])('an export to %s shows the total of its filter; Ctrl-C restores the cursor', async (_what, target, left) => {
  const { env } = startGate(service, ({ url }) => url.includes('cursor'))
  const FILE = temporaryFile('pets.ndjson')
  const command = ['sh', '-c', `exec "$0" pets export --status available ${target}`, launcher]
  const terminal = openTerminal([], { ...env, FILE }, 200, command)
  await terminal.waitFor('100 of 250 pets')
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(130)
  await terminal.waitFor(`Interrupted. ${left}`)
  expect(beside(FILE)).toEqual([])
  expect(terminal.shown().lastIndexOf('\x1b[?25h')).toBeGreaterThan(terminal.shown().lastIndexOf('\x1b[?25l'))
})

test('an interrupted copy leaves no store, and a second run copies everything', async () => {
  const [from, to] = [await largeStore(PETS), temporaryFile('copy.db')]
  const terminal = openTerminal(['copy', '--from', from, '--to', to], { NO_COLOR: '1' }, 200)
  await terminal.waitFor('copying')
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(130)
  await terminal.waitForScreen('petstore: Interrupted. Nothing was copied.')
  expect(beside(to)).toEqual([])
  expect((await run(['copy', '--from', from, '--to', to])).stdout).toContain(`${PETS} pets`)
})

test('backup and restore show a bar; Ctrl-C leaves no file', async () => {
  const [store, backup] = [await largeStore(PETS), temporaryFile('backup.db')]
  const env = { PETSTORE_DATABASE: store, NO_COLOR: '1' }
  const interrupted = openTerminal(['backup', backup], env, 200)
  const goOn = await holdChild(interrupted, backup)
  await interrupted.waitFor(' MB')
  interrupted.type(CTRL_C)
  goOn()
  expect(await interrupted.exited).toBe(130)
  await interrupted.waitForScreen(`petstore: Interrupted. Unfinished files were removed: ${backup} does not exist.`)
  expect(beside(backup)).toEqual([])

  expect((await run(['backup', backup], { env })).stdout).toStartWith(`Backed up ${PETS} pets, 0 orders and 1 key`)

  const restoring = openTerminal(['restore', backup], env, 200)
  const finish = await holdChild(restoring, store)
  await restoring.waitFor(' MB')
  restoring.type(CTRL_C)
  finish()
  expect(await restoring.exited).toBe(130)
  await restoring.waitForScreen(`petstore: Interrupted. Unfinished files were removed: ${store} was not changed.`)
  expect(beside(store)).toEqual([])
  expect((await run(['restore', backup], { env })).stdout).toStartWith(`Restored ${PETS} pets, 0 orders and 1 key`)
})

test('backup and restore print the same errors as without a terminal', async () => {
  const env = { PETSTORE_DATABASE: temporaryFile('none.db'), NO_COLOR: '1' }
  const command = ['backup', temporaryFile('file.db')]
  const terminal = openTerminal(command, env, 200)
  expect(await terminal.exited).toBe(1)
  await terminal.waitForScreen((await run(command, { env })).stderr.trim())
})
