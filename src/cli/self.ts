// Starts petstore as a child process, in the way in which this one was started: with Bun and its options (bin/petstore), so that it
// runs and reads nothing in the current folder; or as an executable of its own. It does not outlive this process.

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
