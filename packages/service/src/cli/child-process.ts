// Starts petstore as a child process in the way this process was started: with Bun and the options of bin/petstore, so that it runs
// and reads nothing in the current folder; or as the executable. The child does not outlive this process.

import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { io } from '../system/io.ts'

/** The executable's files have paths below `/$bunfs/`, which only it can read. */
const SELF = Bun.main.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main]

const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Runs `petstore` with these arguments. The child is killed when this process exits. */
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

/** What a person types in the current folder to run petstore. */
export function commandName(): string {
  // npx and npm put petstore on the path of what they start, and of nothing else.
  if (!io().env.npm_command && Bun.which('petstore')) return 'petstore'
  // In a clone, in a package, or, for the executable, nowhere.
  const launchers = ['../../../../bin/petstore', '../bin/petstore'].map((path) => join(import.meta.dir, path))
  const command = launchers.find(existsSync) ?? process.execPath
  const [, cache] = /^(.*\/_npx\/[^/]+)\/node_modules\//.exec(command) ?? []
  const archive = cache && npxArchive(cache)
  if (archive) return `npx ${archive}`
  const path = relative(io().cwd(), command)
  if (path.startsWith('..')) return command
  // A shell looks for a name without a folder elsewhere.
  return path.includes('/') ? path : `./${path}`
}

/** The archive that npx has installed in this folder of its cache, if the path that was typed still leads to it. */
function npxArchive(cache: string): string | undefined {
  try {
    const { _npx } = JSON.parse(readFileSync(join(cache, 'package.json'), 'utf8'))
    const [archive] = _npx.packages
    return /^[\w./-]+$/.test(archive) && existsSync(resolve(io().cwd(), archive)) ? archive : undefined
  } catch {
    return undefined
  }
}
