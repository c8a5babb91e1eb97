// What import and export need from a file format.

import { PET_FIELDS } from '../../client/src/responses.ts'
import type { NewPet } from '../../contract/src/generated.ts'

/** The fields that an import sends. */
export const FIELDS = PET_FIELDS.filter((field) => field !== 'id')

/** What the page calls a pet that is pending. An import takes it, too. */
export const PENDING_FOR_PEOPLE = 'Reserved'

/** A record as it is in the file. Only the service validates it, so that there is one set of rules and messages. */
export type Unchecked = { [Field in keyof NewPet]?: unknown }

/** The file, or the rest of it, cannot be read. People see the message. */
export class FileError extends Error {}

export interface SourceRecord {
  /** The line where it starts, from 1. */
  line: number
  /** Which one on this line, from 1, where a line may have several. */
  nth?: number
  pet?: Unchecked
  /** What was read of it nevertheless, for a person to complete. */
  partly?: Unchecked
  /** Why it cannot be read: a sentence without its subject. */
  problem?: string
}

export interface Format {
  /**
   * Every record, in order, in constant memory; skips blank lines. Throws FileError when the rest of the file
   * cannot be split into records.
   */
  read(text: AsyncIterable<string>): AsyncGenerator<SourceRecord>
  /** `columns`: their members, where a format has columns; one that an item lacks is empty. */
  write(items: AsyncIterable<object>, columns: readonly string[]): AsyncGenerator<string>
}
