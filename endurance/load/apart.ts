// Runs the task of a module in a separate process, so that it has a core and a timer to itself. The task is a line of JSON on standard
// input, and the result JSON on standard output. The task ends when standard input does.

import { createInterface } from 'node:readline'

/** Runs the task of the module at `path`, until `ends` resolves, if it is given. `started` gets the id of the process. */
export async function runApart<Result>(
  path: string,
  task: object,
  ends?: Promise<unknown>,
  started?: (pid: number) => void,
): Promise<Result> {
  const child = Bun.spawn([process.execPath, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  started?.(child.pid)
  child.stdin.write(`${JSON.stringify(task)}\n`)
  child.stdin.flush()
  ends?.then(() => child.stdin.end())
  return JSON.parse(await new Response(child.stdout).text()) as Result
}

/** In the separate process: runs the task that it gets. */
export function runTask<Task>(run: (task: Task, ended: () => boolean) => Promise<unknown>): void {
  const input = createInterface({ input: process.stdin })
  let ended = false
  input.once('line', async (line) => {
    await Bun.write(Bun.stdout, JSON.stringify(await run(JSON.parse(line), () => ended)))
    process.exit()
  })
  input.once('close', () => {
    ended = true
  })
}
