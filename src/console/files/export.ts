// What is filtered, as a CSV file: all pages of the list, in its order.

import { csv } from '../../cli/formats/csv.ts'
import type { OrderStatus, PetStatus, PetstoreClient } from '../../client/petstore.ts'
import { toFailure } from '../failures.ts'
import type { ListPosition } from '../list-position.ts'
import { number } from '../phrases.ts'

const COLUMNS = {
  animals: ['id', 'name', 'categoryId', 'status'],
  orders: ['id', 'petId', 'petName', 'status', 'reference', 'placedAt', 'changedAt', 'expiresAt'],
}

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
  const { view, status, search, sort } = position
  const filter = { sort, search: search || undefined }
  let rows = 0
  async function* counted(items: AsyncIterable<object>) {
    for await (const item of items) {
      rows++
      yield item
    }
  }
  const items: AsyncIterable<object> =
    view === 'orders'
      ? client.listOrders({ ...filter, status: status as OrderStatus | undefined })
      : client.listPets({ ...filter, status: status as PetStatus | undefined })
  const parts = await Array.fromAsync(csv.write(counted(items), COLUMNS[view]))
  save(new Blob(parts, { type: 'text/csv' }), `${[view, status, search].filter(Boolean).join(' ')}.csv`)
  return rows
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
