// Files of one test, in folders that are deleted when the process ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/** The path of a file that is not there, alone in a folder of its own. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  folders.push(folder)
  return join(folder, name)
}

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
