// Temporary files and servers, which after-file.ts removes and stops at the end of a test file.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []
const stops: (() => unknown)[] = []

/** Returns the path of a file that does not exist, in a new folder. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  folders.push(folder)
  return join(folder, name)
}

/** Calls `stop` at the end of the test file. */
export function atEndOfFile(stop: () => unknown): void {
  stops.push(stop)
}

export async function endFile(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()))
  removeTemporaryFiles()
}

function removeTemporaryFiles(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

process.on('exit', removeTemporaryFiles)
