// Files of tests, in folders that are deleted when the test file has ended (after-file.ts), or the process.

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

export function removeTemporaryFiles(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

process.on('exit', removeTemporaryFiles)
