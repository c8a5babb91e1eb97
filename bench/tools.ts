// What a run needs beside the project itself: wrk, nginx and taskset from the system's packages, and the contenders'
// packages, which this installs into bench/node_modules.

import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

/** Something that only the user can put right; the message says how, and is all that is shown. */
export class CannotRun extends Error {}

const SYSTEM_PACKAGES: Record<string, string> = { wrk: 'wrk', nginx: 'nginx', taskset: 'util-linux' }
/** The peers use node:sqlite without flags, and one of them asks for as much. */
const NODE_MAJOR_MIN = 24

export function requireTools(...names: (keyof typeof SYSTEM_PACKAGES)[]): void {
  if (cpus().length < 2) {
    throw new CannotRun('The benchmark needs two cores: one for the server and one for the load.')
  }
  const missing = names.filter((name) => !findProgram(name))
  if (missing.length === 0) return
  const packages = missing.map((name) => SYSTEM_PACKAGES[name]).join(' ')
  throw new CannotRun(`${missing.join(' and ')} must be installed, with Debian or Ubuntu: apt-get install ${packages}`)
}

/** Debian keeps nginx where only root's PATH looks. */
export function findProgram(name: string): string | undefined {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }) ?? undefined
}

/** Brings bench/node_modules to what its lock file says; does nothing when it is there. */
export function installPeers(): void {
  const folder = import.meta.dir
  if (sameVersions(join(folder, 'package-lock.json'), join(folder, 'node_modules/.package-lock.json'))) return
  process.stderr.write('Installing the packages to compare with…\n')
  // They are run by the Node installed with them, so what npm says about the one that installs them is beside the point.
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (exitCode !== 0) throw new CannotRun('The packages to compare with could not be installed; npm says above why.')
}

/** The pinned Node of the peers; where there is none for this kind of machine, the system's, if it is recent. */
export function peersNode(): string {
  const own = join(import.meta.dir, 'node_modules/.bin/node')
  if (existsSync(own)) return own
  const system = findProgram('node')
  const version = system ? Bun.spawnSync([system, '--version']).stdout.toString().trim() : 'none'
  if (system && Number(/^v(\d+)/.exec(version)?.[1]) >= NODE_MAJOR_MIN) return system
  throw new CannotRun(`The peers need Node ${NODE_MAJOR_MIN} or later; this machine has ${version}.`)
}

function sameVersions(wanted: string, present: string): boolean {
  if (!existsSync(present)) return false
  const there = packages(present)
  return Object.entries(packages(wanted)).every(
    ([path, { version, optional }]) => path === '' || optional || there[path]?.version === version,
  )
}

function packages(path: string): Record<string, { version: string; optional?: boolean }> {
  return JSON.parse(readFileSync(path, 'utf8')).packages
}
