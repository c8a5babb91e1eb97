// The processes that a test started, and those that they started: which they are, whether they live, and their end.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Every system has one of the two. */
export function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/stat')) {
    return spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean)
      .map(Number)
  }
  const all = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
  return all.map(Number).filter((each) => parentOf(each) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+([0-9]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A process that has ended but was not yet waited for still has an entry.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It went by itself.
  }
}
