// The machine: cores for the server and the load, its description for the report, required programs, and temporary folders.

import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import peers from '../test/tools/bench/package.json'

/** A problem that the user has to solve. Only the message is printed; it says how. */
export class CannotRun extends Error {}

export const ROOT = join(import.meta.dir, '..')

/** Separate cores for the server and for the load. */
export const CORES = { server: 0, load: 1 } as const

/** A folder that is removed when it goes out of scope or when the process exits. */
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

/** Moves this process and its future children to these cores. */
export function stayOn(...cores: readonly number[]): void {
  run(['taskset', '--all-tasks', '--cpu-list', '--pid', cores.join(','), String(process.pid)])
}

/** Runs a command and returns its output. Throws CannotRun with its error output if it fails. */
export function run(command: readonly string[], cwd = ROOT): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd })
  if (exitCode !== 0) throw new CannotRun(`${command.join(' ')} failed: ${stderr.toString().trim()}`)
  return stdout.toString().trim()
}

/** Describes the machine, the date, and the version of every program involved. */
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

/** Throws CannotRun if a program or a second core is missing. */
export function requireTools(...names: string[]): void {
  if (cpus().length < 2) throw new CannotRun('The benchmark needs two cores: one for the server and one for the load.')
  const missing = names.filter((name) => !findProgram(name))
  const advice = 'On Debian or Ubuntu: apt-get install wrk nginx util-linux'
  if (missing.length > 0) throw new CannotRun(`Install ${missing.join(' and ')}. ${advice}`)
}

/** Finds a program: first in our packages, last in the folder of Debian's nginx, which is only in root's PATH. */
export function findProgram(name: string): string | undefined {
  const ours = join(import.meta.dir, 'node_modules/.bin')
  return Bun.which(name, { PATH: `${ours}:${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) ?? undefined
}
