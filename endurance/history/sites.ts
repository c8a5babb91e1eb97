// Where histories are recorded: two servers on one file, or on one PostgreSQL with a synchronous standby; and what breaks there, by name.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateKey } from '../../src/domain/keys.ts'
import NOW from '../../src/store/postgres/functions/now.sql' with { type: 'text' }
import { temporaryFile } from '../../test/support/files.ts'
import { Cluster } from '../../test/support/postgres.ts'
import { type Running, root, run, serve } from '../../test/support/process.ts'
import type { Site } from './clients.ts'
import { newClock, setAhead } from './clock.ts'

const FROZEN_MS = 250
const FULL_MS = 300
/** Longer than from one sweep of overdue reservations to the next. */
const AHEAD_FOR_MS = 1_200
const AHEAD_MS = 3_600_000

/** The name of a fault: the wall clock of one server is an hour ahead for a while, and then right again. */
export const CLOCK = 'a clock an hour ahead'
/** The same of PostgreSQL's, by which all servers go. */
export const DATABASE_CLOCK = `the database's clock an hour ahead`
export const CLOCKS: readonly string[] = [CLOCK, DATABASE_CLOCK]
const AHEAD = NOW.replace('clock_timestamp()', `(clock_timestamp() + interval '${AHEAD_MS} ms')`)

export type Kind = 'sqlite' | 'postgres'

export interface BreakableSite extends Site {
  /** What can break, by name. Each resolves when it is whole again. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>
  /** Revokes the key `leaver`. */
  revoke(): Promise<void>
  remove(): Promise<void>
}

/** `source`: the folder of the source tree whose servers are started. */
export async function openSite(kind: Kind, source = root): Promise<BreakableSite> {
  return kind === 'sqlite' ? openFile(source) : openPostgres(source)
}

async function startServers(database: string, source: string) {
  const first = generateKey('production')
  const clocks = [0, 1].map((n) => temporaryFile(`clock-${n}`))
  const command = [process.execPath, '--preload', join(import.meta.dir, 'clock.ts'), join(source, 'src/cli/main.ts')]
  const start = (n: number) => {
    const env = { PETSTORE_BOOTSTRAP_KEY: first, PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'silent' }
    return serve([], { env: { ...env, HISTORY_CLOCK: clocks[n] as string }, command })
  }
  clocks.forEach(newClock)
  const servers: Running[] = [await start(0), await start(1)]
  const urls = () => servers.map(({ url }) => url)
  const kill = async (n: number) => {
    await servers[n]?.stop('SIGKILL')
    // The store may be broken, too, and a start waits for some seconds only.
    servers[n] = await start(n)
      .catch(() => start(n))
      .catch(() => start(n))
  }
  const freeze = async (n: number) => {
    process.kill((servers[n] as Running).pid, 'SIGSTOP')
    await Bun.sleep(FROZEN_MS)
    process.kill((servers[n] as Running).pid, 'SIGCONT')
  }
  const jump = async (n: number) => {
    setAhead(clocks[n] as string, AHEAD_MS)
    await Bun.sleep(AHEAD_FOR_MS)
    setAhead(clocks[n] as string, 0)
  }
  const faults = {
    'a server killed': () => kill(0),
    'both servers killed': async () => void (await Promise.all([kill(0), kill(1)])),
    'a server frozen': () => freeze(1),
    [CLOCK]: () => jump(0),
  }
  const stop = () => Promise.all(servers.map((server) => server.stop('SIGKILL')))
  const onKeys = async (...words: string[]) => {
    const { stdout, stderr, status } = await run(['keys', ...words, '--database', database], {
      command: command.slice(0, 1).concat(command.slice(-1)),
    })
    if (status !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const create = (name: string, ...flags: string[]) => onKeys('create', '--name', name, ...flags)
  const [second, leaver, reader] = await Promise.all([
    create('second'),
    create('leaver'),
    create('reader', '--read-only'),
  ])
  const keys = { first, second, leaver, reader, wrong: generateKey('production') }
  const revoke = async () => {
    // The store may be broken just now.
    while (
      await onKeys('revoke', 'leaver').then(
        () => false,
        () => true,
      )
    )
      await Bun.sleep(100)
  }
  return { keys, urls, faults, stop, revoke, pid: (n: number) => (servers[n] as Running).pid }
}

async function openFile(source: string): Promise<BreakableSite> {
  const folder = mkdtempSync(temporaryFile('history-'))
  const database = join(folder, 'petstore.db')
  const { faults, stop, pid, ...site } = await startServers(database, source)
  return {
    ...site,
    faults: Bun.which('strace') ? { ...faults, 'a full disk': () => fullDisk(pid(0)) } : faults,
    async remove() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The writes of one of the servers find no room. */
async function fullDisk(pid: number): Promise<void> {
  const inject = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=ENOSPC']
  const child = Bun.spawn(['strace', '-f', '-o', '/dev/null', ...inject, '-p', `${pid}`], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  // Ended before it is attached, it would leave a process of its own behind.
  const isTraced = () => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  while (child.exitCode === null && !isTraced()) await Bun.sleep(5)
  await Bun.sleep(FULL_MS)
  child.kill('SIGINT')
  await child.exited
}

async function openPostgres(source: string): Promise<BreakableSite> {
  // Nothing here cuts the power, and what a killed process has written stays: waiting for the disk would only make histories short.
  let primary = await Cluster.start({ fsync: 'off' })
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  let standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
  const address = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const { faults, stop, pid: _, ...site } = await startServers(address, source)

  async function failOver() {
    await primary.down('SIGKILL')
    await standby.promote()
    await standby.setSynchronous(false)
    const { port } = primary
    await primary.remove()
    primary = standby
    standby = await primary.startStandby('standby', port)
    await primary.setSynchronous(true)
  }

  async function freeze(cluster: Cluster) {
    cluster.signalAll('SIGSTOP')
    await Bun.sleep(FROZEN_MS)
    cluster.signalAll('SIGCONT')
  }

  async function jump() {
    const set = (definition: string) => primary.asAdmin((sql) => sql.unsafe(definition), 'petstore')
    await set(AHEAD)
    await Bun.sleep(AHEAD_FOR_MS)
    await set(NOW)
  }

  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`
  return {
    ...site,
    faults: {
      ...faults,
      'the database frozen': () => freeze(primary),
      'the standby frozen': () => freeze(standby),
      [DATABASE_CLOCK]: jump,
      'connections cut': async () => void (await primary.asAdmin((sql) => sql.unsafe(cut))),
      'a failover': failOver,
    },
    async remove() {
      await stop()
      await Promise.all([primary.remove(), standby.remove()])
    },
  }
}
