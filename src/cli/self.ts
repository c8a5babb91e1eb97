// Starts petstore as a child process. Like every other, it is started by bin/petstore, so that it runs and reads nothing in the
// current folder. It does not outlive this process.

import { join, relative } from 'node:path'

const LAUNCHER = join(import.meta.dir, '../../bin/petstore')

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
  const child = Bun.spawn([LAUNCHER, ...args], options)
  running.add(child)
  child.exited.then(() => running.delete(child))
  return child
}

/** What a person types in the current folder to run petstore. */
export function commandName(): string {
  if (Bun.which('petstore')) return 'petstore'
  const path = relative(process.cwd(), LAUNCHER)
  return path.startsWith('..') ? LAUNCHER : path
}
