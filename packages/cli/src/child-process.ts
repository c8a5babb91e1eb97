// Starts petstore as a child process in the same way as this process: as the executable, or with Bun and the options
// of bin/petstore, which keep Bun from running or reading files in the current folder. The child does not outlive
// this process. Also lets a process that runs for long leave the processor to services on the same machine.

import { existsSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { systemReason } from '../../contract/src/system-reason.ts'
import { io, ownsProcess } from '../../service/src/system/io.ts'
import { printNote } from './terminal/print.ts'

/** The executable's files have paths below `/$bunfs/`, which only the executable can read. */
const SELF = Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main]

const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function startSelf<
  In extends Bun.Spawn.Writable,
  Out extends Bun.Spawn.Readable,
  Err extends Bun.Spawn.Readable,
>(args: string[], options: Bun.Spawn.SpawnOptions<In, Out, Err>): Bun.Subprocess<In, Out, Err> {
  const child = Bun.spawn([...SELF, ...args], options)
  running.add(child)
  child.exited.then(() => running.delete(child))
  return child
}

/** Returns the command that runs petstore in the current folder. */
export function commandName(): string {
  // npx and npm extend the PATH of their child processes only.
  if (!io().env.npm_command && Bun.which('petstore')) return 'petstore'
  // The launcher of a clone or of a package. The executable has none.
  const launchers = ['../../../bin/petstore', '../bin/petstore'].map((path) => join(import.meta.dir, path))
  const command = launchers.find(existsSync) ?? process.execPath
  const [, cache] = /^(.*\/_npx\/[^/]+)\/node_modules\//.exec(command) ?? []
  const archive = cache && npxArchive(cache)
  if (archive) return `npx ${archive}`
  const path = relative(io().cwd(), command)
  if (path.startsWith('..')) return command
  // A shell looks up names without a folder in PATH.
  return path.includes('/') ? path : `./${path}`
}

/** Returns the archive that npx installed in this cache folder, if the given path still leads to it. */
function npxArchive(cache: string): string | undefined {
  try {
    const { _npx } = JSON.parse(readFileSync(join(cache, 'package.json'), 'utf8'))
    const [archive] = _npx.packages
    return /^[\w./-]+$/.test(archive) && existsSync(resolve(io().cwd(), archive)) ? archive : undefined
  } catch {
    return undefined
  }
}

/** Only best effort: a system call filter, such as a systemd unit's, can reject it. */
export function lowerPriority(): void {
  if (!ownsProcess()) return
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch (error) {
    const reason = systemReason((error as { info?: unknown }).info)
    printNote(`The system refuses a lower priority (${reason}). The command continues at normal priority.`)
  }
}
