// Replaces packages/cli/src/child-process.ts in the bundle of simulated servers: `petstore backup` runs in this process.

import { backUp } from '../../packages/service/src/store/sqlite/file/backup.ts'
import { sleep } from '../../packages/service/src/system/runtime.ts'
import { asChild } from './file-system.ts'

export function startSelf([, file, , database]: [string, string, string, string]) {
  const child = { pid: process.pid, stderr: '', signalCode: '', exited: sleep(1).then(run), kill }
  function kill() {
    child.signalCode = 'SIGTERM'
  }
  function run(): number | undefined {
    try {
      if (child.signalCode) return undefined
      if (asChild(() => backUp(database, file))) return 0
      child.signalCode = 'SIGKILL'
    } catch {
      return 1
    }
  }
  return child
}
