// What a test file leaves to its end (after-file.ts): files of tests, in folders that are deleted then or with the process, and servers to stop.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []
const stops: (() => unknown)[] = []

/** The path of a file that is not there, alone in a folder of its own. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  folders.push(folder)
  return join(folder, name)
}

/** Calls it when the test file has ended. */
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
