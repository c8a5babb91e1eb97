// Makes paths absolute. If the current folder was removed, Bun would resolve a relative path against its own folder
// and create a store there.

import { isAbsolute, resolve } from 'node:path'
import { StartError } from '../domain/start-error.ts'
import { io } from '../system/io.ts'

/** Throws StartError for a relative path if the current folder no longer exists. */
export function absolutePath(path: string): string {
  if (isAbsolute(path)) return path
  try {
    return resolve(io().cwd(), path)
  } catch (cause) {
    throw new StartError(`${path} cannot be found, because the current folder was removed. Change to another folder.`, {
      cause,
    })
  }
}
