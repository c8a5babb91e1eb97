// The machine: which core serves and which sends the load, what a report says of it, and the programs that a run needs.

import { existsSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

/** A problem that only the user can solve. The message says how; nothing else is shown. */
export class CannotRun extends Error {}

/** One core for the server and another for the load, so that neither takes time from the other. */
export const CORES = { server: 0, load: 1 } as const

const SYSTEM_PACKAGES = { wrk: 'wrk', nginx: 'nginx', taskset: 'util-linux' }
const PEERS: { dependencies: Record<string, string> } = readJson(join(import.meta.dir, 'package.json'))

/** The command line that runs `command` on these cores only. */
export function pinned(cores: readonly number[], command: readonly string[]): string[] {
  return ['taskset', '--cpu-list', cores.join(','), ...command]
}

/** Moves this process, and what it starts from now on, to these cores. */
export function stayOn(...cores: readonly number[]): void {
  Bun.spawnSync(['taskset', '--all-tasks', '--cpu-list', '--pid', cores.join(','), String(process.pid)])
}

/** The machine in general terms, and the version of every program that takes part: two sentences. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor'
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  const versions = {
    Bun: Bun.version,
    nginx: printedVersion('nginx', '-v', /nginx\/(\S+)/),
    Node: printedVersion(peerNode(), '--version', /v(\S+)/),
    ...PEERS.dependencies,
    wrk: printedVersion('wrk', '-v', /wrk \S*?([0-9][0-9.]*)/),
  }
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${cpus().length} cores (${model}), ${memoryGiB} GiB of memory. ${programs.join(', ')}.`
}

function printedVersion(program: string, flag: string, pattern: RegExp): string {
  const { stdout, stderr } = Bun.spawnSync([findProgram(program) ?? program, flag])
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown'
}

/** Throws CannotRun when a program or a second core is missing. */
export function requireTools(...names: (keyof typeof SYSTEM_PACKAGES)[]): void {
  if (cpus().length < 2) throw new CannotRun('The benchmark needs two cores: one for the server and one for the load.')
  const missing = names.filter((name) => !findProgram(name))
  if (missing.length === 0) return
  const packages = missing.map((name) => SYSTEM_PACKAGES[name]).join(' ')
  throw new CannotRun(`Install ${missing.join(' and ')}. On Debian or Ubuntu: apt-get install ${packages}`)
}

/** Its path. Debian installs nginx where only root's PATH looks. */
export function findProgram(name: string): string | undefined {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) ?? undefined
}

/** Installs the packages of bench/package.json, unless they are there. Throws CannotRun when npm fails. */
export function installPeers(): void {
  const installed = Object.entries(PEERS.dependencies).every(([name, version]) => {
    const path = join(import.meta.dir, 'node_modules', name, 'package.json')
    return existsSync(path) && readJson<{ version: string }>(path).version === version
  })
  if (installed) return
  process.stderr.write('Installing the packages to compare with…\n')
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: import.meta.dir,
    stdio: ['ignore', 2, 2],
  })
  if (exitCode !== 0) throw new CannotRun('npm could not install the packages to compare with; see its message above.')
}

/** The Node of bench/package.json; where it has none for this kind of machine, the system's, which must be 24 or later. */
export function peerNode(): string {
  const own = join(import.meta.dir, 'node_modules/.bin/node')
  return existsSync(own) ? own : 'node'
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(path, 'utf8'))
}
