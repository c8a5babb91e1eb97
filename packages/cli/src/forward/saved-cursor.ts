// The state file of a forwarder: one line with the cursor after the last event that the receiver accepted. Only one
// process at a time can use it.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { decodeEventCursor } from '../../../service/src/domain/events.ts'
import { orStartError, StartError } from '../../../service/src/domain/start-error.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { syncFolderOf } from '../../../service/src/system/files.ts'
import { lockAlone } from '../../../service/src/system/lock.ts'
import { keepAccess, targetOf } from '../../../service/src/system/partial.ts'

const MODE = 0o600

export class SavedCursor {
  private constructor(
    private readonly file: string,
    /** `undefined` before the first run. */
    public cursor: string | undefined,
  ) {}

  /** Locks the file until this process ends. Throws StartError. */
  static open(path: string): SavedCursor {
    return orStartError(() => {
      const { path: file, special } = targetOf(absolutePath(path))
      if (special) throw noState(path)
      // Not the file itself, because each step replaces it.
      if (!lockAlone(file, openSync(`${file}.lock`, 'a', MODE))) {
        throw new StartError(`Another petstore events forward is using ${file}.`)
      }
      return new SavedCursor(file, readCursor(file))
    }, refusalOf(path))
  }

  /** Makes the cursor durable. Throws StartError. */
  keep(cursor: string): void {
    if (cursor === this.cursor) return
    orStartError(() => {
      const whole = `${this.file}.new`
      const descriptor = openSync(whole, 'w', MODE)
      try {
        const before = statSync(this.file, { throwIfNoEntry: false })
        if (before) keepAccess(descriptor, before)
        writeFileSync(descriptor, `${cursor}\n`)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      renameSync(whole, this.file)
      syncFolderOf(this.file)
    }, refusalOf(this.file))
    this.cursor = cursor
  }
}

function readCursor(file: string): string | undefined {
  let cursor: string
  try {
    cursor = readFileSync(file, 'utf8').trimEnd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    decodeEventCursor(cursor)
    return cursor
  } catch {
    throw noState(file)
  }
}

const noState = (file: string) => new StartError(`${file} is not a state file of petstore events forward.`)

const refusalOf = (file: string) => (reason: string) => `The state file ${file} cannot be used (${reason}).`
