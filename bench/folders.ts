// Temporary folders, which are removed with the process at the latest.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()
process.on('exit', () => folders.forEach(remove))

/** A folder that stays until the process ends. */
export function lastingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  folders.add(folder)
  return folder
}

/** A folder that is removed when `use` has ended. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = lastingFolder()
  try {
    return await use(folder)
  } finally {
    remove(folder)
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}
