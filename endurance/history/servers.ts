// The two servers of a history, their API keys, and their failures.

import { join } from 'node:path'
import { generateKey } from '../../packages/service/src/domain/keys.ts'
import { LIMITS } from '../../packages/service/src/domain/limits.ts'
import { temporaryFile } from '../../test/support/files.ts'
import { type Running, root, run, serve } from '../../test/support/process.ts'
import { newClock, setAhead } from './clock.ts'

const FROZEN_MS = 250
const START_MS_MAX = 150
/** How often a server is killed again while it starts. */
const KILLED_AT_START_SHARE = 0.2
/** Longer than the interval between two sweeps of overdue reservations, even on a busy machine. */
export const AHEAD_FOR_MS = 2 * LIMITS.expiryEveryMs + 200
export const AHEAD_MS = 3_600_000

/** A failure: one server's wall clock is an hour ahead for a while. */
export const CLOCK = 'a clock an hour ahead'

export type Servers = Awaited<ReturnType<typeof startServers>>

/** `databases` has the store's address for each server. */
export async function startServers(databases: readonly [string, string]) {
  const first = generateKey('production')
  const clocks = [0, 1].map((n) => temporaryFile(`clock-${n}`))
  const program = join(root, 'packages/cli/src/main.ts')
  const command = [process.execPath, '--preload', join(import.meta.dir, 'clock.ts'), program]
  const environment = (n: number) => ({
    ...{ PETSTORE_BOOTSTRAP_KEY: first, PETSTORE_LOG_LEVEL: 'silent' },
    ...{ PETSTORE_DATABASE: databases[n] as string, HISTORY_CLOCK: clocks[n] as string },
  })
  const start = (n: number) => serve([], { env: environment(n), command })
  clocks.forEach(newClock)
  const servers: Running[] = [await start(0), await start(1)]
  const urls = () => servers.map(({ url }) => url)
  const kill = async (n: number) => {
    await servers[n]?.stop('SIGKILL')
    if (Math.random() < KILLED_AT_START_SHARE) await killWhileStarting(command, environment(n))
    // Retry, because the store can be down, too, and a start waits only some seconds.
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
    const keys = ['keys', ...words, '--database', databases[1]]
    const { stdout, stderr, status } = await run(keys, { command: [process.execPath, program] })
    if (status !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const names = [['second'], ['leaver'], ['reader', '--read-only']]
  const created = await Promise.all(names.map((words) => onKeys('create', '--name', ...words)))
  const [second, leaver, reader] = created as [string, string, string]
  const keys = { first, second, leaver, reader, wrong: generateKey('production') }
  const revoke = async () => {
    // Retry, because the store can be down.
    const tried = () => onKeys('revoke', 'leaver').catch((error: unknown) => error)
    while ((await tried()) instanceof Error) await Bun.sleep(100)
  }
  return { keys, urls, faults, stop, revoke }
}

async function killWhileStarting(command: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const starting = Bun.spawn([...command, 'serve', '--port', '0'], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await Bun.sleep(Math.random() * START_MS_MAX)
  starting.kill('SIGKILL')
  await starting.exited
}
