// What is filtered, as a CSV file for spreadsheets: all pages of the list, in its order, in bounded memory.

import type { OrderStatus, PetStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import { excel } from '../../../service/src/cli/formats/excel.ts'
import { FIELD_NAMES } from '../fields.ts'
import { wholeList } from '../list.ts'
import type { ListPosition } from '../list-position.ts'

const COLUMNS = {
  animals: ['id', ...FIELD_NAMES],
  orders: ['id', 'petId', 'petName', 'status', 'reference', 'placedAt', 'changedAt', 'expiresAt'],
}

/** So many are given to the browser at a time: a hundred thousand at the end would make it pause. */
const PART_LINES = 1_000
/** As many as the command line has. */
const RETRIES = 6

/** Where the parts go. Nothing is saved until it is closed. */
export interface Target {
  write: (part: string) => Promise<void> | void
  close: () => Promise<void> | void
  abort: () => Promise<void> | void
}

/** The browsers that can write to a file that a person chooses. TypeScript does not know this yet. */
interface FilePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
}

export function fileName({ view, status, categoryId, ids, search }: ListPosition): string {
  const category = categoryId === undefined ? '' : `category ${categoryId}`
  return `${[view, status, category, ids && 'imported', search].filter(Boolean).join(' ')}.csv`
}

/** `large`: the browser asks where to save it and writes it part by part, where it can; otherwise it collects the parts. */
export async function openTarget(name: string, large: boolean): Promise<Target> {
  const choose = large ? (window as FilePicker).showSaveFilePicker : undefined
  if (choose) return (await choose({ suggestedName: name })).createWritable()
  const parts: Blob[] = []
  return {
    write: (part) => void parts.push(new Blob([part])),
    close: () => download(new Blob(parts, { type: 'text/csv' }), name),
    abort: () => undefined,
  }
}

/** `onRows` is called with their number so far. Resolves with it once all are saved; otherwise nothing is. */
export async function exportRows(
  items: AsyncIterable<object> | Iterable<object>,
  view: ListPosition['view'],
  target: Target,
  { signal, onRows }: { signal?: AbortSignal; onRows?: (rows: number) => void } = {},
): Promise<number> {
  const lines: string[] = []
  let rows = 0
  async function* counted(): AsyncGenerator<object> {
    for await (const item of items) {
      onRows?.(++rows)
      yield item
    }
  }
  try {
    for await (const line of excel.write(counted(), COLUMNS[view])) {
      if (lines.push(line) >= PART_LINES) await target.write(lines.splice(0).join(''))
    }
    signal?.throwIfAborted()
    await target.write(lines.join(''))
    await target.close()
    return rows
  } catch (error) {
    await target.abort()
    throw error
  }
}

/** All of a list. */
export function itemsOf(client: PetstoreClient, position: ListPosition, signal: AbortSignal): AsyncIterable<object> {
  const { view, status, categoryId, ids, search, sort } = position
  const options = { signal, retries: RETRIES }
  if (ids) return wholeList(client, position, options)
  const filter = { sort, search: search || undefined }
  if (view === 'orders') return client.listOrders({ ...filter, status: status as OrderStatus | undefined }, options)
  return client.listPets({ ...filter, categoryId, status: status as PetStatus | undefined }, options)
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
