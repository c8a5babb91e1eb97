// The machine: which core serves and which sends the load, what a report says of it, the programs that a run needs, and
// temporary folders.

import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import peers from '../test/tools/bench/package.json'

/** A problem that only the user can solve. The message says how; nothing else is shown. */
export class CannotRun extends Error {}

export const ROOT = join(import.meta.dir, '..')

/** One core for the server and another for the load, so that neither takes time from the other. */
export const CORES = { server: 0, load: 1 } as const

/** A folder that is removed when it goes out of scope, and with the process at the latest. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, [Symbol.dispose]: remove }
}

/** The command line that runs `command` on these cores only. */
export function pinned(cores: readonly number[], command: readonly string[]): string[] {
  return ['taskset', '--cpu-list', cores.join(','), ...command]
}

/** Moves this process, and what it starts from now on, to these cores. */
export function stayOn(...cores: readonly number[]): void {
  run(['taskset', '--all-tasks', '--cpu-list', '--pid', cores.join(','), String(process.pid)])
}

/** Runs a command to its end and returns what it printed. Throws CannotRun with its complaint when it fails. */
export function run(command: readonly string[], cwd = ROOT): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd })
  if (exitCode !== 0) throw new CannotRun(`${command.join(' ')} failed: ${stderr.toString().trim()}`)
  return stdout.toString().trim()
}

/** What tells this machine from others, the day, and the version of every program that takes part. */
export function description(): string {
  const day = new Date().toISOString().slice(0, 10)
  const name = `${cpus()[0]?.model.trim() || 'unknown processor'}, ${cpus().length} cores`
  const versionOf = (program: string) => {
    const { stdout, stderr } = Bun.spawnSync([findProgram(program) ?? program, '-v'])
    return /[0-9]+\.[0-9.]+/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown'
  }
  const others = `Fastify ${peers.dependencies.fastify} on Node ${versionOf('node')}, wrk ${versionOf('wrk')}.`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  return `${name}, ${day}.\n${memory}; Bun ${Bun.version}, nginx ${versionOf('nginx')}, ${others}`
}

/** Throws CannotRun when a program or a second core is missing. */
export function requireTools(...names: string[]): void {
  if (cpus().length < 2) throw new CannotRun('The benchmark needs two cores: one for the server and one for the load.')
  const missing = names.filter((name) => !findProgram(name))
  const advice = 'On Debian or Ubuntu: apt-get install wrk nginx util-linux'
  if (missing.length > 0) throw new CannotRun(`Install ${missing.join(' and ')}. ${advice}`)
}

/** Its path: first in our packages, last where Debian installs nginx, which only root's PATH names. */
export function findProgram(name: string): string | undefined {
  const ours = join(import.meta.dir, 'node_modules/.bin')
  return Bun.which(name, { PATH: `${ours}:${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) ?? undefined
}
