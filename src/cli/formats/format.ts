// What a file format is to import and export.

import type { Pet } from '../../client/petstore.ts'

/** A record as the file has it. Whether it is an animal is the service's to judge: one judge, one wording. */
export type Unchecked = { name?: unknown; categoryId?: unknown; status?: unknown }

export interface SourceRecord {
  /** Where it begins, from 1. */
  line: number
  pet?: Unchecked
  /** Why it cannot be read, as a sentence without a subject. */
  problem?: string
}

export interface Format {
  /**
   * Every record, in order, in constant memory; blank lines are none. Throws StartError where the rest of the file cannot
   * be told apart into records.
   */
  read(text: AsyncIterable<string>): AsyncGenerator<SourceRecord>
  write(pets: AsyncIterable<Pet>): AsyncGenerator<string>
}
