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
  for (let attempt = 1; ; attempt++) {
    try {
      return removeTemporaryFiles()
    } catch (error) {
      // A file system of a container can stay mounted for a moment after its end.
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || attempt === 20) throw error
      await Bun.sleep(100)
    }
  }
}

function removeTemporaryFiles(): void {
  while (folders.length > 0) {
    rmSync(folders.at(-1) as string, { recursive: true, force: true })
    folders.pop()
  }
}

process.on('exit', removeTemporaryFiles)
