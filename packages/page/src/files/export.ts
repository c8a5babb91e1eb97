// What is filtered, as a CSV file: all pages of the list, in its order.

import type { OrderStatus, PetStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import { csv } from '../../../service/src/cli/formats/csv.ts'
import { toFailure } from '../failures.ts'
import type { ListPosition } from '../list-position.ts'
import { number } from '../phrases.ts'

const COLUMNS = {
  animals: ['id', 'name', 'categoryId', 'status'],
  orders: ['id', 'petId', 'petName', 'status', 'reference', 'placedAt', 'changedAt', 'expiresAt'],
}

/** So many are given to the browser at a time: a hundred thousand at the end would make it pause. */
const PART_LINES = 1_000

/** Resolves with what to tell. */
export async function exportList(client: PetstoreClient, position: ListPosition): Promise<string> {
  try {
    return `${number(await saveList(client, position))} rows were exported.`
  } catch (error) {
    return `Nothing was exported. ${toFailure(error).message}`
  }
}

/** The number of its rows. */
async function saveList(client: PetstoreClient, position: ListPosition): Promise<number> {
  const { view, status, categoryId, search, sort } = position
  const filter = { sort, search: search || undefined }
  const items: AsyncIterable<object> =
    view === 'orders'
      ? client.listOrders({ ...filter, status: status as OrderStatus | undefined })
      : client.listPets({ ...filter, categoryId, status: status as PetStatus | undefined })
  const parts: Blob[] = []
  const lines: string[] = []
  // The first line is the head.
  let rows = -1
  for await (const line of csv.write(items, COLUMNS[view])) {
    rows++
    if (lines.push(line) === PART_LINES) parts.push(new Blob(lines.splice(0)))
  }
  save(
    new Blob([...parts, ...lines], { type: 'text/csv' }),
    `${[view, status, categoryId !== undefined && `category ${categoryId}`, search].filter(Boolean).join(' ')}.csv`,
  )
  return rows
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
