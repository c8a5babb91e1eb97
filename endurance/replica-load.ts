// A service at full load beside Litestream: what is left of the creates, how long the log becomes, how long requests wait, and what becomes of
// it where Litestream is stopped, killed, frozen, or its disk is full for an hour's worth of creates.
//
//   npm run endurance -- replica-load --report

import { Database } from 'bun:sqlite'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../test/support/files.ts'
import { freeze, installLitestream, startCopying, toFolder } from '../test/support/litestream.ts'
import { type Running, serve } from '../test/support/process.ts'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import { type Figures, openLoop } from './open-loop.ts'
import { differences, diskAt, sent } from './replica-copies.ts'
import { type Wait, waitOf, watchStalls } from './stalls.ts'

/** So few that a commit has few creates, as when they arrive over an hour. */
const BEHIND_CONNECTIONS = 8
const HEALTH_PER_SECOND = 100
const HEALTH_CONNECTIONS = 64
/** As docs/backups.md says. */
const LOG_MB_MAX = 64
const WAIT_MS_MAX = 50
const SHARE_MIN = 0.6
const BACK_MS_MAX = 300_000
const STOP_MS_MAX = 3_000
/** It sends once a second: then it has failed to. */
const FAILED_MS = 2_500

export interface Plan {
  connections: number
  pairs: number
  seconds: number
  minutes: number
  frozen: number
  behind: number
}

export interface Measured {
  beside: string
  creates: Figures
  health: Figures
  /** Of all requests the one that took longest, and the one of which most was the service's own. */
  longest: Wait
  own: Wait
  /** Megabytes. */
  log: { most: number; last: number }
}

export interface Beside {
  /** Of each pair, creates beside Litestream to those without. */
  shares: number[]
  measured: Measured[]
  faults: string[]
}

export async function besideLitestream(plan: Plan, report: (line: string) => void = () => {}): Promise<Beside> {
  const { connections, pairs, seconds, minutes, frozen, behind } = plan
  await installLitestream()
  const folder = mkdtempSync(temporaryFile('replica-load-'))
  const database = join(folder, 'petstore.db')
  const service = await serve(['--database', database], { env: { PETSTORE_LOG_LEVEL: 'silent' } })
  const copies = join(folder, 'copies')
  const disk = diskAt(copies)
  const copying = toFolder(join(folder, 'litestream.yml'), database, copies)
  const [shares, measured, faults]: [number[], Measured[], string[]] = [[], [], []]
  const logMegabytes = () => (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 1e6
  const measure = async (beside: string, happen: () => Promise<unknown>, by = connections) => {
    const one = { beside, ...(await loaded(service, database, logMegabytes, happen, by)) }
    measured.push(one)
    report(rowOf(one))
    for (const status of Object.keys(one.creates.statuses))
      if (status !== '201') faults.push(`${beside}: ${one.creates.statuses[Number(status)]} creates answered ${status}`)
    if (one.creates.broken > 0) faults.push(`${beside}: ${one.creates.broken} broken connections`)
    return answered(one.creates)
  }
  const some = () => Bun.sleep(seconds * 1000)
  await loaded(service, database, logMegabytes, () => Bun.sleep(Math.min(2, seconds) * 1000), connections)
  for (let pair = 0; pair < pairs; pair++) {
    const alone = () => measure(ALONE, some)
    const beside = async () => {
      const litestream = await startCopying(copying)
      try {
        return await measure(LITESTREAM, some)
      } finally {
        await end(litestream)
      }
    }
    const [one, other] = pair % 2 === 0 ? [await alone(), await beside()] : [await beside(), await alone()].reverse()
    shares.push((other as number) / (one as number))
  }
  let litestream = await startCopying(copying)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const name = signal === 'SIGTERM' ? 'it is stopped, and started again' : 'it is killed, and started again'
    await measure(name, async () => {
      await end(litestream, signal)
      await some()
      litestream = await startCopying(copying)
    })
  }
  await measure(`it is frozen until the log has ${frozen} MB`, async () => {
    await freeze(litestream, copying)
    const isLong = await until(() => logMegabytes() >= frozen)
    litestream.kill('SIGCONT')
    if (!isLong || !(await until(() => logMegabytes() <= LOG_MB_MAX))) faults.push('the log did not come back')
  })
  const before = countOf(database)
  await measure(
    `${disk.name} after ${behind} creates; then it is started again`,
    async () => {
      disk.fill()
      await Bun.sleep(FAILED_MS)
      while (countOf(database) - before < behind) await Bun.sleep(100)
      disk.free()
      await some()
      await end(litestream, 'SIGKILL')
      litestream = await startCopying(copying)
    },
    BEHIND_CONNECTIONS,
  )
  // Last: a disk in memory has no room for a second whole copy of what is there then.
  if (minutes > 0) {
    const begun = () => readdirSync(join(copies, 'generations')).length
    const before = begun()
    await measure(`${LITESTREAM}, ${minutes} minutes`, () => Bun.sleep(minutes * 60_000))
    const whole = begun() - before
    report(`${whole} whole copies were begun in ${minutes} minutes`)
    if (whole > minutes) faults.push(`${whole} whole copies in ${minutes} minutes`)
  }
  await sent(copies)
  await service.stop()
  // What the page says: then all is sent.
  await Bun.sleep(2_000)
  await end(litestream)
  faults.push(...(await differences(copying, join(folder, 'copy.db'))))
  disk.remove()
  rmSync(folder, { recursive: true })
  return { shares, measured, faults }
}

const [ALONE, LITESTREAM] = ['nothing', 'Litestream']

/** Stopped while it sends, it may hang: then it is killed, as by its unit. */
async function end(litestream: Bun.Subprocess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  litestream.kill(signal)
  const hangs = setTimeout(() => litestream.kill('SIGKILL'), STOP_MS_MAX)
  await litestream.exited
  clearTimeout(hangs)
}

async function until(isSo: () => boolean): Promise<boolean> {
  const end = performance.now() + BACK_MS_MAX
  while (!isSo() && performance.now() < end) await Bun.sleep(20)
  return isSo()
}

/** As many creates as the service answers, while `happen` runs. */
async function loaded(
  service: Running,
  database: string,
  logMegabytes: () => number,
  happen: () => Promise<unknown>,
  connections: number,
) {
  const { promise: ends, resolve: stop } = Promise.withResolvers<void>()
  const load = (requests: string[], perSecond: number, connectionsMax: number) =>
    openLoop(
      { port: Number(new URL(service.url).port), requests, perSecond, seconds: 7_200, connectionsMax },
      ends,
      (pid) => clients.push(pid),
    )
  const clients: number[] = []
  const log = { most: 0, last: 0 }
  const watching = setInterval(() => {
    log.last = logMegabytes()
    log.most = Math.max(log.most, log.last)
  }, 50)
  const all = Promise.all([
    load(createsBy(service.key), 1e5, connections),
    load([HEALTH], HEALTH_PER_SECOND, HEALTH_CONNECTIONS),
    watchStalls({ pid: service.pid, clients, database }, ends),
  ])
  await happen()
  stop()
  const [creates, health, moments] = await all
  clearInterval(watching)
  const waits = [...creates.slow, ...health.slow].map((slow) => waitOf(slow, moments))
  const most = (of: (wait: Wait) => number) =>
    waits.reduce((one, other) => (of(other) > of(one) ? other : one), NO_WAIT)
  return { creates, health, log, longest: most(({ ms }) => ms), own: most(({ own }) => own) }
}

const NO_WAIT: Wait = { ms: 0, disk: 0, lock: 0, core: 0, own: 0 }

/** A pet is never removed here. */
function countOf(path: string): number {
  using database = new Database(path, { readonly: true })
  return Number(database.query<{ last: number }, []>('SELECT max(id) AS last FROM pets').get()?.last)
}

const FIRST_NAMES = [
  'Bella',
  'Max',
  'Luna',
  'Charlie',
  'Lucy',
  'Cooper',
  'Daisy',
  'Milo',
  'Sadie',
  'Buddy',
  'Lily',
  'Rocky',
]
const NAMES = 3_000
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
const createsBy = (key: string) =>
  Array.from({ length: NAMES }, (_, n) => {
    const pet = `{"name":"${FIRST_NAMES[n % FIRST_NAMES.length]} ${n}","categoryId":7}`
    return `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${pet.length}\r\n\r\n${pet}`
  })

function answered({ statuses, seconds }: Figures): number {
  return (statuses[201] ?? 0) / seconds
}

function judge({ shares, measured, faults }: Beside): string[] {
  const share = middle(shares)
  const found = [...faults]
  if (share !== undefined && share < SHARE_MIN) found.push(`${share.toFixed(2)} of the creates are left`)
  for (const { beside, log, own } of measured) {
    if (beside.startsWith(LITESTREAM) && log.most > LOG_MB_MAX)
      found.push(`${beside}: a log of ${log.most.toFixed(0)} MB`)
    if (own.own > WAIT_MS_MAX) found.push(`${beside}: a wait of the service's own: ${partsOf(own)} ms`)
  }
  return found
}

function middle(all: readonly number[]): number | undefined {
  return all.toSorted((one, other) => one - other)[all.length >> 1]
}

const partsOf = ({ ms, ...parts }: Wait) =>
  [ms, parts.disk, parts.lock, parts.core, parts.own].map((part) => part.toFixed(0)).join(' / ')

function rowOf({ beside, creates, health, log, longest, own }: Measured): string {
  const times = ({ p50, p99, p999, max }: Figures) =>
    [p50, p99, p999, max].map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')
  const refused = Object.entries(creates.statuses)
    .filter(([status]) => status !== '201')
    .reduce((sum, [, n]) => sum + n, 0)
  const megabytes = [log.most, log.last].map((each) => each.toFixed(0)).join(' → ')
  return [
    beside,
    creates.seconds.toFixed(0),
    answered(creates).toFixed(0),
    refused + creates.broken,
    times(health),
    times(creates),
    partsOf(longest),
    own.own.toFixed(0),
    megabytes,
  ].join(' | ')
}

function textOf(beside: Beside, faults: readonly string[], { connections, pairs, frozen, behind }: Plan): string {
  return `${connections} connections create pets as fast as they are answered, from the machine of the service, of Litestream 0.3.13 with the settings of \`deploy/litestream.yml\` and of its copy in a folder. Milliseconds, each p50 / p99 / p99.9 / longest.

| beside | took, s | creates a second | not answered 201 | /healthz | creates | longest of all: whole / disk / lock / core / own | own, most | log, MB |
|---|---|---|---|---|---|---|---|---|
${beside.measured.map((one) => `| ${rowOf(one)} |`).join('\n')}

- Of ${pairs} pairs, one after the other, the one in the middle: ${middle(beside.shares)?.toFixed(2)} of the creates are left beside Litestream (${beside.shares.map((share) => share.toFixed(2)).join(', ')}); at least ${SHARE_MIN} is wanted.
- Beside Litestream the log has at most ${LOG_MB_MAX} MB. While Litestream is frozen, here until ${frozen} MB, it grows; afterwards it is cut.
- Of each wait the time is taken apart: in a sync of the disk; for the write lock, which Litestream has; for a core, which others use; the rest is the service's own, of which at most ${WAIT_MS_MAX} ms are wanted.
- An hour behind: ${behind} creates, as many as 50 a second in an hour, from ${BEHIND_CONNECTIONS} connections, while Litestream cannot write.
- In the end both are stopped as the page says: the copy has to be good (\`petstore check-backup\`), and its rows those of the store.
${faultsLine(faults)}`
}

async function run(plan: Plan): Promise<Outcome> {
  const beside = await besideLitestream(plan, print)
  const faults = judge(beside)
  return { text: textOf(beside, faults, plan), passed: faults.length === 0 }
}

export const main = experiment({
  name: 'replica-load',
  title: 'Full load beside Litestream',
  description: 'Creates as many pets as can be beside Litestream, which is stopped, killed, frozen, and has no room.',
  options: {
    connections: ['how many creates are sent at a time', 64],
    pairs: ['how often with and without Litestream is compared', 5],
    seconds: ['how long each of a pair is, and how long Litestream is away', 10],
    minutes: ['how long the load beside Litestream runs in one piece', 10],
    frozen: ['how many megabytes the log has until a frozen Litestream goes on', 500],
    behind: ['how many pets are created while its disk is full: 50 a second for an hour', 180_000],
  },
  run,
})
