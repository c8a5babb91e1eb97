// Exports a list as a CSV file for spreadsheets. The file is saved only when all rows are read.

import { listSeparator, writeExcel } from '../../../files/src/csv.ts'
import { FIELD_NAMES } from '../animal/fields.ts'
import type { ListPosition } from '../list/list-position.ts'

export const COLUMNS = {
  animals: ['id', ...FIELD_NAMES],
  orders: ['id', 'petId', 'petName', 'status', 'reference', 'placedAt', 'changedAt', 'expiresAt'],
}

/** Lines per Blob; the browser can keep Blobs on disk. */
const PART_LINES = 1_000

export function fileName({ view, status, categoryId, ids, search }: ListPosition): string {
  const category = categoryId === undefined ? '' : `category ${categoryId}`
  return `${[view, status, category, ids && 'imported', search].filter(Boolean).join(' ')}.csv`
}

interface ExportProgress {
  signal?: AbortSignal
  onRows?: (rows: number) => void
}

/** Resolves with the number of rows once the file is saved. */
export async function exportRows(
  items: AsyncIterable<object> | Iterable<object>,
  columns: readonly string[],
  name: string,
  { signal, onRows }: ExportProgress = {},
): Promise<number> {
  const parts: Blob[] = []
  const lines: string[] = []
  let rows = 0
  async function* counted(): AsyncGenerator<object> {
    for await (const item of items) {
      onRows?.(++rows)
      yield item
    }
  }
  for await (const line of writeExcel(counted(), columns, listSeparator())) {
    if (lines.push(line) >= PART_LINES) parts.push(new Blob(lines.splice(0)))
  }
  signal?.throwIfAborted()
  download(new Blob([...parts, ...lines], { type: 'text/csv' }), name)
  return rows
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
