// A process of ours that another one of ours starts. Started with bin/petstore, as any: nothing of the current folder is run or
// read in it. It does not outlive this one.

import { join } from 'node:path'

const LAUNCHER = join(import.meta.dir, '../../bin/petstore')

const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Runs `petstore` with these arguments. It is killed when this process exits before it does. */
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
