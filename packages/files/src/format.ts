// The interface of file formats for import and export.

import { PET_FIELDS } from '../../client/src/responses.ts'
import type { NewPet } from '../../contract/src/generated.ts'

/** The fields that an import sends. */
export const FIELDS = PET_FIELDS.filter((field) => field !== 'id')
export type Field = (typeof FIELDS)[number]

/** A record as read from the file. Only the service validates it, so that there is one set of rules and messages. */
export type Unchecked = { [Field in keyof NewPet]?: unknown }

/** The file, or the rest of it, cannot be read. Users see the message. */
export class FileError extends Error {}

/** The most bytes of a workbook, and of the XML in it. */
export const WORKBOOK_BYTES_MAX = 100_000_000

export function workbookError(file: string, problem = 'is a spreadsheet workbook.'): FileError {
  return new FileError(`${file} ${problem} Use CSV instead: save the sheet as “CSV UTF-8” (File, Save As).`)
}

export interface SourceRecord {
  /** The first line of the record, counted from 1. */
  line: number
  /** The number of the record on its line, counted from 1, if a line can have several. */
  nth?: number
  pet?: Unchecked
  /** The readable part of a bad record, for a person to complete. */
  partly?: Unchecked
  /** Why the record cannot be read or added: a sentence without its subject. */
  problem?: string
}

/** The index of each field's column in a CSV. */
export type ColumnPositions = Partial<Record<Field, number>>

/** The user's options for a CSV. */
export interface ReadOptions {
  /** Assigns columns to fields. Called once, with the headings. Throws FileError if a column is missing. */
  columnsOf?: (headings: readonly string[]) => ColumnPositions
  /** The category of records without one. */
  category?: string | undefined
  /** The first line is a record, too. */
  noHeadings?: boolean
  /** Advice if the file is JSON. */
  ifJson?: string
  /** The file has the apostrophes of an export for Excel. Our own exports are detected. */
  forExcel?: boolean
}

export interface Format {
  /**
   * Yields all records in order, in constant memory, without blank lines. Throws FileError if the rest of the file
   * cannot be split into records.
   */
  read(text: AsyncIterable<string>, options?: ReadOptions): AsyncGenerator<SourceRecord>
  /**
   * `columns`: the members to write, for formats with columns; missing ones are empty. `separator`: a comma or a
   * semicolon.
   */
  write(items: AsyncIterable<object>, columns: readonly string[], separator?: string): AsyncGenerator<string>
}
