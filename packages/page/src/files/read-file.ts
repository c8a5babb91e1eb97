// A CSV file as records to add, with what is wrong with it, before anything is sent. It is read in parts, so that the page stays usable, and
// again while its records are added: a large file that is kept as records makes the browser pause to collect its garbage.

import type { NewPet } from '../../../client/src/petstore.ts'
import { csv } from '../../../service/src/cli/formats/csv.ts'
import { excel } from '../../../service/src/cli/formats/excel.ts'
import type { Format } from '../../../service/src/cli/formats/format.ts'
import { STATUSES } from '../statuses.ts'

interface FileRecord {
  pet: NewPet
  line: number
}

/** A record of the file, before it is known whether it can be added. */
interface Unchecked {
  pet: Partial<Record<keyof NewPet, unknown>>
  problem: string
}

/** The file is not what it was when it was chosen. */
export class FileChanged extends Error {}

export interface FileContents {
  /** Of its text: the same record of the same file is added once, however often the file is imported. */
  digest: string
  /** How many records can be added. */
  count: number
  first: readonly FileRecord[]
  /** Each that can be added, from the file. */
  records: () => AsyncGenerator<FileRecord>
  /** Sentences, each with its line. */
  problems: readonly string[]
}

/** On a slow device, too, nobody feels a pause of this length. */
const BUSY_MS = 12

/** `fromExcel`: as excel.ts reads it. Throws StartError where it is no table with the columns that an animal needs, and FileChanged. */
export async function readFile(file: File, fromExcel: boolean, firstMax: number): Promise<FileContents> {
  const format = fromExcel ? excel : csv
  const digest = new Digest()
  // Read otherwise, the same lines are other animals.
  if (fromExcel) digest.add('excel')
  const first: FileRecord[] = []
  const problems: string[] = []
  let count = 0
  let until = 0
  for await (const record of format.read(textOf(file, digest))) {
    const wrong = problemOf(record)
    if (wrong) problems.push(`Line ${record.line} ${wrong}`)
    else if (++count <= firstMax) first.push(record as FileRecord)
    if (performance.now() > until) {
      await new Promise((resolve) => setTimeout(resolve))
      until = performance.now() + BUSY_MS
    }
  }
  return { digest: String(digest), count, first, records: () => recordsOf(file, format), problems }
}

async function* recordsOf(file: File, format: Format): AsyncGenerator<FileRecord> {
  for await (const record of format.read(textOf(file))) if (!problemOf(record)) yield record as FileRecord
}

async function* textOf(file: File, digest?: Digest): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = file.stream().getReader()
  const read = () =>
    reader.read().catch(() => {
      throw new FileChanged('The file has changed, or is gone. Choose it again.')
    })
  for (let part = await read(); !part.done; part = await read()) {
    const text = decoder.decode(part.value, { stream: true })
    digest?.add(text)
    yield text
  }
  yield decoder.decode()
}

/** What the service would refuse, as far as it can be told here; it judges the rest. */
function problemOf({ pet, problem }: Partial<Unchecked>): string | undefined {
  if (!pet) return problem
  const { name, categoryId, status } = pet
  if (typeof name !== 'string' || name.trim() === '') return 'has no name.'
  if (typeof categoryId !== 'bigint') return 'has no category, which is a whole number.'
  if (status !== undefined && !STATUSES.some(([known]) => known === status)) return 'has a status that does not exist.'
  return undefined
}

/** Tells files apart. Browsers have their own digests on https only; nobody gains by making two files alike (cyrb53, twice). */
class Digest {
  #state = [0xdeadbeef, 0x41c6ce57, 0x9e3779b9, 0x85ebca6b]

  add(text: string): void {
    let [h1 = 0, h2 = 0, h3 = 0, h4 = 0] = this.#state
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      h1 = Math.imul(h1 ^ code, 2654435761)
      h2 = Math.imul(h2 ^ code, 1597334677)
      h3 = Math.imul((h3 << 5) ^ (h3 >>> 2) ^ code, 2246822507)
      h4 = Math.imul((h4 << 7) ^ (h4 >>> 3) ^ code, 3266489909)
    }
    this.#state = [h1, h2, h3, h4]
  }

  toString(): string {
    return this.#state.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
  }
}
