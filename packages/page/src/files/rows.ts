// The rows of a CSV file before and after they are added: what each says, what is wrong with it, and what has become of it. They are judged by
// the contract's own schema, so that a mistake has the words that the service has for it.

import { NEW_PET_SCHEMA } from '../../../contract/src/generated.ts'
import { type Json, JsonNumber } from '../../../contract/src/json.ts'
import { compileSchema } from '../../../contract/src/schema.ts'
import { csv, petOf, SEPARATORS } from '../../../files/src/csv.ts'
import { excel } from '../../../files/src/excel.ts'
import { FileError, type SourceRecord } from '../../../files/src/format.ts'
import { refuseWorkbook, textOf } from '../../../files/src/text.ts'
import { NO_PROBLEMS, type Problems, toProblems } from '../animal/field-problems.ts'
import { FIELD_NAMES, type Field } from '../animal/fields.ts'

export interface Row {
  /** Of the file. */
  readonly line: number
  cells: Readonly<Record<Field, string>>
  problems: Problems
  /** It has or had a mistake: while it is mended, it stays among those that have. */
  mistaken: boolean
  /** `present`: added by an earlier import of the same file. */
  state: 'open' | 'left out' | 'added' | 'present'
  /** Once it is added. */
  id?: bigint
  /** With which Idempotency-Key it was added. */
  key?: string
}

/** On a slow device, too, nobody feels a pause of this length. */
const BUSY_MS = 12

/** `fromExcel`: as excel.ts reads it. Throws FileError. */
export async function readRows(file: File, fromExcel: boolean, signal: AbortSignal): Promise<Row[]> {
  refuseWorkbook(file.name)
  const rows: Row[] = []
  let until = 0
  for await (const record of (fromExcel ? excel : csv).read(textOf(file.name, chunksOf(file)))) {
    rows.push(toRow(record))
    if (performance.now() < until) continue
    await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
    until = performance.now() + BUSY_MS
  }
  if (rows.length === 0) throw new FileError(`There are no records in ${file.name}.`)
  return rows
}

/** How our own export for spreadsheets begins, also after one of them has saved it. */
const EXPORTED = new RegExp(`^\\ufeff"?id"?([${SEPARATORS}])"?${FIELD_NAMES.join('"?\\1"?')}"?\\r?\\n`)

export async function wasExportedForExcel(file: File): Promise<boolean> {
  const begin = await file.slice(0, 200).arrayBuffer()
  return EXPORTED.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(begin))
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function toRow({ line, pet, partly, problem }: SourceRecord): Row {
  const read: Partial<Record<Field, unknown>> = pet ?? partly ?? {}
  const cells = Object.fromEntries(FIELD_NAMES.map((field) => [field, String(read[field] ?? '')])) as Row['cells']
  const problems = pet ? problemsOf(cells) : { fields: {}, other: `It ${problem}` }
  return { line, cells, problems, mistaken: problems !== NO_PROBLEMS, state: 'open' }
}

const validate = compileSchema(NEW_PET_SCHEMA, {})

function problemsOf(cells: Row['cells']): Problems {
  const problems: string[] = []
  const fields = Object.entries(petOf(cells)).flatMap(([field, value]): [string, Json][] => {
    if (value === undefined) return []
    return [[field, typeof value === 'bigint' ? new JsonNumber(String(value)) : String(value)]]
  })
  validate(new Map(fields), '', problems)
  return problems.length > 0 ? toProblems(problems.join(' ')) : NO_PROBLEMS
}

export function mend(row: Row, change: Partial<Row['cells']>): void {
  row.cells = { ...row.cells, ...change }
  row.problems = problemsOf(row.cells)
}

export function isWrong({ problems }: Row): boolean {
  return problems !== NO_PROBLEMS
}

/** It is to be added. */
export function isReady(row: Row): boolean {
  return row.state === 'open' && !isWrong(row)
}

export type Counts = Record<'ready' | 'wrong' | 'left out' | 'added' | 'present' | 'mistaken', number>

export function countsOf(rows: readonly Row[]): Counts {
  const counts: Counts = { ready: 0, wrong: 0, 'left out': 0, added: 0, present: 0, mistaken: 0 }
  for (const row of rows) {
    counts[row.state !== 'open' ? row.state : isWrong(row) ? 'wrong' : 'ready']++
    if (row.mistaken) counts.mistaken++
  }
  return counts
}
