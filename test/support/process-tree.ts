// Finds, checks and kills the descendants of a process.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export function childrenOf(pid: number): number[] {
  return [...parents()].flatMap(([child, parent]) => (parent === pid ? [child] : []))
}

/** Maps each process to its parent. */
function parents(): Map<number, number> {
  if (!HAS_PROC) {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    return new Map(stdout.matchAll(/(\d+)\s+(\d+)/g).map(([, pid, parent]) => [Number(pid), Number(parent)]))
  }
  const all = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
  return new Map(all.map((pid) => [Number(pid), Number(/^PPid:\s+([0-9]+)/m.exec(readProc(pid, 'status'))?.[1])]))
}

/**
 * Kills the process, unless it is this one, and all its descendants. With `mark`, also kills each process with this
 * `NAME=value` in its environment, even if its parent has ended (Linux). Freezes them first, so that they start no
 * others. Returns when they have ended, or after 5 s.
 */
export function endTree(root: number, mark?: string): void {
  const ended = new Set<number>()
  const marked = (pid: number) => mark !== undefined && readProc(pid, 'environ').split('\0').includes(mark)
  for (let found = true; found; ) {
    found = false
    for (const [pid, parent] of parents()) {
      if (pid === process.pid || ended.has(pid)) continue
      if (pid !== root && parent !== root && !ended.has(parent) && !marked(pid)) continue
      ended.add(pid)
      found = true
      killIfThere(pid, 'SIGSTOP')
    }
  }
  for (const pid of ended) killIfThere(pid)
  const deadline = performance.now() + GONE_MS
  while (ended.values().some(isAlive) && performance.now() < deadline) Bun.sleepSync(5)
}

const GONE_MS = 5_000
const HAS_PROC = existsSync('/proc/self/stat')

function readProc(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Resolves at the end of a process with its peak memory. Linux reports it together with the memory of this process. */
export async function peakBytesOf(child: Bun.Subprocess): Promise<number> {
  let peak = 0
  const look = () => {
    const [, kib = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readProc(child.pid, 'status')) ?? []
    peak = Math.max(peak, 1024 * Number(kib))
  }
  const timer = setInterval(look, 20)
  await child.exited
  clearInterval(timer)
  return HAS_PROC ? peak : (child.resourceUsage()?.maxRSS ?? Number.NaN)
}

export function isAlive(pid: number): boolean {
  // A zombie has an entry, too.
  return /^State:\s+[^Z]/m.test(readProc(pid, 'status'))
}

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}
