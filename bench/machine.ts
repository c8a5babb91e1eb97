// The machine: which core serves and which one asks, and what may be said of it in a report.

import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { findProgram, peersNode } from './tools.ts'

/** One core for the server and another for the load, so that neither takes time from the other. */
export const CORES = { server: 0, load: 1 } as const

/** The command line that runs `command` on these cores only. */
export function pinned(cores: readonly number[], command: readonly string[]): string[] {
  return ['taskset', '--cpu-list', cores.join(','), ...command]
}

/** This process, and what it starts without a word about cores, runs on these. */
export function stayOn(...cores: readonly number[]): void {
  Bun.spawnSync(['taskset', '--all-tasks', '--cpu-list', '--pid', cores.join(','), String(process.pid)])
}

/** In general terms only: what a reader needs to compare, and nothing that names a place. */
export function describeMachine(): string {
  const all = cpus()
  const model = all[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor'
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  return `${all.length} cores (${model}), ${memoryGiB} GiB of memory, ${process.platform} on ${process.arch}`
}

/** Of everything that has a part in the figures. */
export function versions(): Record<string, string> {
  const peers: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(import.meta.dir, 'package.json'), 'utf8'),
  )
  return {
    Bun: Bun.version,
    nginx: said(['nginx', '-v'], /nginx\/(\S+)/),
    'Node (for the peers)': said([peersNode(), '--version'], /v(\S+)/),
    ...peers.dependencies,
    wrk: said(['wrk', '-v'], /wrk \S*?([0-9][0-9.]*)/),
  }
}

function said([program = '', ...words]: readonly string[], pattern: RegExp): string {
  const { stdout, stderr } = Bun.spawnSync([findProgram(program) ?? program, ...words])
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
}
