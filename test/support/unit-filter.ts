// The filter of system calls of deploy/petstore.service, without systemd as the first process: systemd-analyze says which calls the
// unit refuses, and strace refuses them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

const TOOLS = ['systemd-analyze', 'strace']
export const missingToFilter = process.platform === 'linux' ? TOOLS.filter((tool) => Bun.which(tool) === null) : TOOLS

/** Put it before a command: the command's process has the same id. The calls in `refused` fail with EPERM, too. */
export function underUnitFilter(refused: readonly string[] = []): string[] {
  const allowed = allowedCalls().difference(new Set(refused))
  // `?`: strace may know fewer calls than systemd.
  const others = `!${[...allowed].map((call) => `?${call}`).join()}`
  // -D: strace is not the parent. --seccomp-bpf: calls that are allowed do not stop the process.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', others, '-e', `inject=${others}:error=EPERM`]
}

/** As systemd.exec(5) reads SystemCallFilter=: the first line makes a list of allowed calls, `~` takes calls out again. */
function allowedCalls(): Set<string> {
  const sets = callSets()
  const callsOf = (name: string): string[] => (name.startsWith('@') ? (sets[name] ?? []).flatMap(callsOf) : [name])
  const allowed = new Set(callsOf('@default'))
  const unit = readFileSync(join(root, 'deploy/petstore.service'), 'utf8')
  for (const [, out, names = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of names.split(' ').flatMap(callsOf)) {
      if (out) allowed.delete(call)
      else allowed.add(call)
    }
  }
  return allowed
}

/** By name, such as `@resources`. A set may name others. */
function callSets(): Record<string, string[]> {
  const { stdout } = Bun.spawnSync(['systemd-analyze', 'syscall-filter', '--no-pager'])
  const blocks = stdout.toString().split(/\n(?=@)/)
  return Object.fromEntries(
    blocks.map((block) => {
      const [name = '', ...lines] = block.split('\n').map((line) => line.trim())
      return [name, lines.filter((line) => /^@?\w[\w-]*$/.test(line))]
    }),
  )
}
