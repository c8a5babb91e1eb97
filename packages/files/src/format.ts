// What import and export need from a file format.

import { PET_FIELDS } from '../../client/src/responses.ts'
import type { NewPet } from '../../contract/src/generated.ts'

/** The fields that an import sends. */
export const FIELDS = PET_FIELDS.filter((field) => field !== 'id')
export type Field = (typeof FIELDS)[number]

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
  /** Why it cannot be read or added: a sentence without its subject. */
  problem?: string
}

/** The place of each field's column in a CSV, from 0. */
export type Columns = Partial<Record<Field, number>>

/** What people say of a CSV. */
export interface ReadOptions {
  /** Which column has which field; called once, with the headings. Throws FileError if one is missing. */
  columnsOf?: (headings: readonly string[]) => Columns
  /** Of records without one. */
  category?: string | undefined
  /** It has the apostrophes of an export for Excel. Our own exports are recognised. */
  forExcel?: boolean
}

export interface Format {
  /**
   * Every record, in order, in constant memory; skips blank lines. Throws FileError when the rest of the file
   * cannot be split into records.
   */
  read(text: AsyncIterable<string>, options?: ReadOptions): AsyncGenerator<SourceRecord>
  /** `columns`: their members, where a format has columns; one that an item lacks is empty. `separator`: a comma or a semicolon. */
  write(items: AsyncIterable<object>, columns: readonly string[], separator?: string): AsyncGenerator<string>
}
