// The machine: cores for the server and the load, its description for the report, required programs, and temporary folders.

import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Describes the machine and the date. */
export function description(): string {
  const day = new Date().toISOString().slice(0, 10)
  const name = `${cpus()[0]?.model.trim() || 'unknown processor'}, ${cpus().length} cores`
  return `${name}, ${day}, Bun ${Bun.version}`
}

/** Throws CannotRun if a program or a second core is missing. */
export function requireTools(...names: string[]): void {
  if (cpus().length < 2) throw new CannotRun('The benchmark needs two cores: one for the server and one for the load.')
  const missing = names.filter((name) => !Bun.which(name))
  const advice = 'On Debian or Ubuntu: apt-get install wrk util-linux'
  if (missing.length > 0) throw new CannotRun(`Install ${missing.join(' and ')}. ${advice}`)
}
