// Commands under strace, which records, delays or fails their system calls.

import { launcher } from './process.ts'

const strace = Bun.which('strace')
/** Why a test is skipped, for its title. */
export const noStrace = strace ? '' : ' (strace is not installed)'

/**
 * For `run` and `serve`. With `--seccomp-bpf`, calls that are not traced run at full speed, but strace can inject no
 * signals.
 */
export function straced(args: string[], command = [launcher]): string[] {
  const speed = args.some((arg) => arg.includes(':signal=')) ? [] : ['--seccomp-bpf']
  return [strace as string, '-f', '-qq', ...speed, '-o', '/dev/null', ...args, ...command]
}
