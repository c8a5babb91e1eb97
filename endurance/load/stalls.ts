// What a service waits for while it does not answer: the disk, another process that has the write lock, or a core that others use. Linux says
// it, and is asked every few milliseconds.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { runApart, runTask } from './apart.ts'

const EVERY_MS = 4
/** The byte of SQLite's `-shm` that a writer has locked (https://sqlite.org/walformat.html, "WAL Locks"). */
const WRITE_LOCK = 120

export interface Stalls {
  disk: number
  lock: number
  core: number
}

/** A short time, in milliseconds since 1970, and how much of it was waited for each. */
export interface Moment extends Stalls {
  at: number
  ms: number
}

/** A request that took long, and what of it was waited for each; `own` is the rest. */
export interface Wait extends Stalls {
  ms: number
  own: number
}

interface Watched {
  pid: number
  /** Those that send and measure the requests: where they wait for a core, so does the measuring. */
  clients: number[]
  /** The store's file. */
  database: string
}

export const now = () => performance.timeOrigin + performance.now()

/** Watches until `ends` resolves. In their order. */
export function watchStalls(watched: Watched, ends: Promise<unknown>): Promise<Moment[]> {
  return runApart(import.meta.path, watched, ends)
}

export function waitOf({ at, ms }: { at: number; ms: number }, moments: readonly Moment[]): Wait {
  const wait = { ms, disk: 0, lock: 0, core: 0, own: ms }
  let [low, high] = [0, moments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const { at: from, ms: took } = moments[middle] as Moment
    if (from + took <= at) low = middle + 1
    else high = middle
  }
  for (let n = low; n < moments.length; n++) {
    const moment = moments[n] as Moment
    const common = Math.min(at + ms, moment.at + moment.ms) - Math.max(at, moment.at)
    if (common <= 0) break
    for (const what of ['disk', 'lock', 'core'] as const) {
      const part = (moment[what] * common) / moment.ms
      wait[what] += part
      wait.own -= part
    }
  }
  return wait
}

/** `S` where it waits for work, `R` where it runs or waits for a core, `D` where it waits for the disk. */
const stateIn = (folder: string) => / ([A-Z]) /.exec(procText(`${folder}/stat`).split(')').at(-1) ?? '')?.[1]

/** Milliseconds for which main threads have waited for a core. */
const coreWaits = (pids: readonly number[]) =>
  pids.map((pid) => Number(procText(`/proc/${pid}/schedstat`).split(' ')[1] ?? 0) / 1e6)

/** The text of a file of /proc; empty once its process has ended, which a client may do at any moment. */
function procText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The process that holds the lock of those who write. */
function writerOf(index: number): number | undefined {
  const lock = new RegExp(`^\\d+: POSIX .* WRITE (\\d+) \\w+:\\w+:${index} (\\d+) (\\d+)$`, 'gm')
  for (const [, pid, first, last] of readFileSync('/proc/locks', 'utf8').matchAll(lock))
    if (Number(first) <= WRITE_LOCK && Number(last) >= WRITE_LOCK) return Number(pid)
  return undefined
}

async function watch({ pid, clients, database }: Watched, ended: () => boolean): Promise<Moment[]> {
  const moments: Moment[] = []
  const index = statSync(`${database}-shm`).ino
  const tasks = `/proc/${pid}/task`
  const waitsForDisk = (task: string) => stateIn(`${tasks}/${task}`) === 'D'
  const pids = [pid, ...clients]
  for (let [at, before] = [now(), coreWaits(pids)]; !ended(); ) {
    await Bun.sleep(EVERY_MS)
    const ms = now() - at
    const waits = coreWaits(pids)
    const core = Math.min(
      ms,
      waits.reduce((sum, wait, n) => sum + Math.max(0, wait - (before[n] ?? 0)), 0),
    )
    const writer = writerOf(index)
    const main = stateIn(`${tasks}/${pid}`)
    // While the thread that makes checkpoints has the lock, the main thread has nothing to do.
    const ofDisk = main === 'D' || (main === 'S' && writer === pid && readdirSync(tasks).some(waitsForDisk))
    const ofLock = !ofDisk && writer !== undefined && writer !== pid
    const rest = ms - core
    if (core > 1 || ofDisk || ofLock) moments.push({ at, ms, core, disk: ofDisk ? rest : 0, lock: ofLock ? rest : 0 })
    at += ms
    before = waits
  }
  return moments
}

if (import.meta.main) runTask(watch)
