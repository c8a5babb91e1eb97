// The highest ids that this server has seen. A standby that is promoted without the last commits of the primary would
// assign them again, although clients know them.

import { addedIn, type Writes } from '../../domain/decisions/working-copy.ts'
import type { Check } from './connect/host-connections.ts'

type Ids = Record<'pets' | 'orders' | 'events' | 'keys', bigint>

/** Selects the last ids as `Ids`. Servers have no right to the sequences of events and keys. */
export const LAST_IDS = `petstore_last_pet() AS pets, petstore_last_order() AS orders,
  coalesce((SELECT max(id) FROM events), 0) AS events, coalesce((SELECT max(id) FROM keys), 0) AS keys`
const SKIP = 'SELECT petstore_skip_ids($1::bigint, $2::bigint, $3::bigint, $4::bigint) AS skipped'

export class SeenIds {
  private readonly last: Ids = { pets: 0n, orders: 0n, events: 0n, keys: 0n }
  private timeline = ''

  /** `report` receives a sentence if a failover has lost commits. */
  constructor(private readonly report: (sentence: string) => void) {}

  /** The ids in a row with `LAST_IDS`, read on a host with this timeline. */
  see(row: Ids & { readonly timeline: string }): void {
    for (const table of Object.keys(this.last) as (keyof Ids)[]) this.seeId(table, row[table])
    this.timeline = row.timeline
  }

  /** The ids of a change, before it is acknowledged. Other servers may have added events. */
  seeWrites(writes: Writes): void {
    for (const { pet } of addedIn(writes)) this.seeId('pets', pet.id)
    for (const { id } of writes.ordersAdded) this.seeId('orders', id)
    this.last.events += BigInt(writes.events.length)
  }

  /** Call it for each host before it is used. On a later timeline, its next ids follow the ones seen. */
  async skipOn({ timeline }: Parameters<Check>[0], query: Parameters<Check>[1]): Promise<void> {
    if (this.timeline === '' || timeline <= this.timeline) return
    const { pets, orders, events, keys } = this.last
    const [row] = await query<{ skipped: boolean }>(SKIP, pets, orders, events, keys)
    if (!row?.skipped) return
    this.report(
      `the failover has lost commits. The ids up to pet ${pets} and order ${orders} are skipped. Stop the servers and run petstore recovered`,
    )
  }

  private seeId(table: keyof Ids, id: bigint): void {
    if (id > this.last[table]) this.last[table] = id
  }
}
