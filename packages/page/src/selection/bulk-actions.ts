// Releases or deletes the selected rows, a few at a time. Skips a row that changed since it was shown, and reports the
// reason. If the service stops responding, the remaining rows are left unchanged.

import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { deleteShown, tagOfOrder } from '../animal/preconditions.ts'
import { toFailure } from '../failures.ts'
import type { Item } from '../list/list-position.ts'
import type { Records } from '../live/records.ts'
import { findOrder } from '../orders/actions.ts'
import { concurrently } from '../parts/concurrently.ts'
import { brief, number } from '../phrases.ts'

export type Act = 'release' | 'delete'
export const ACT_LABELS = { release: 'Release', delete: 'Delete' } as const satisfies Record<Act, string>
const DONE = { release: 'released', delete: 'deleted' } as const satisfies Record<Act, string>

const NAMED_MAX = 3
const PATIENT = { retries: 8 }

/** By error code: for one row, and for several. */
const REASONS: Record<string, readonly [string, string]> = {
  pet_has_orders: ['it has orders', 'they have orders'],
  precondition_failed: ['another till has just changed it', 'another till has just changed them'],
  not_found: ['another till has deleted it', 'another till has deleted them'],
  order_not_pending: ['its reservation has ended', 'their reservations have ended'],
  not_reserved: ['it is not reserved', 'they are not reserved'],
  no_order: ['it was entered by hand', 'they were entered by hand'],
}

export interface Outcome {
  done: readonly bigint[]
  /** The result in words, with the reason for each rejected row. */
  sentence: string
  complete: boolean
}

interface Work {
  client: PetstoreClient
  items: readonly Item[]
  records: Records
  /** Called with the number of rows tried so far. */
  report: (tried: number) => void
  isStopped: () => boolean
}

export async function actOnEach(act: Act, { client, items, records, report, isStopped }: Work): Promise<Outcome> {
  const done: bigint[] = []
  const refused = new Map<string, Item[]>()
  function refuse(reason: string, item: Item): void {
    refused.set(reason, [...(refused.get(reason) ?? []), item])
  }
  let cut = ''
  let tried = 0
  await concurrently(items, async (item) => {
    if (cut || isStopped()) return refuse(cut || 'You stopped.', item)
    try {
      const code =
        act === 'release' ? await release(client, item, records) : await deleteShown(client, item as Pet, PATIENT)
      if (code) refuse(code, item)
      else done.push(item.id)
    } catch (error) {
      const { kind, code, message } = toFailure(error)
      if (kind !== 'other') cut ||= message
      refuse(kind === 'other' ? (code in REASONS ? code : message) : cut, item)
    }
    report(++tried)
  })
  return { done, sentence: inWords(act, done.length, refused), complete: refused.size === 0 }
}

/** Resolves with a reason if there is nothing to release. */
async function release(client: PetstoreClient, item: Item, records: Records): Promise<string | undefined> {
  if (item.status !== 'pending') return 'not_reserved'
  const held = 'petId' in item ? item : records.holderOf(item)
  const order: Order | null | undefined =
    held === undefined ? await findOrder(client, item.id, 'pending', PATIENT) : held
  if (!order) return 'no_order'
  await client.cancelOrder(order.id, { ...PATIENT, ifMatch: await tagOfOrder(client, order, PATIENT) })
  return undefined
}

/** "12 deleted. 8 kept because they have orders: Rex (12), Mia (13), Tom (14) and 5 more." */
function inWords(act: Act, done: number, refused: ReadonlyMap<string, readonly Item[]>): string {
  const kept = act === 'delete' ? 'kept' : 'not released'
  const sentences = [...refused].map(([reason, items]) => {
    const known = REASONS[reason]?.[items.length === 1 ? 0 : 1]
    const why = known ? ` because ${known}` : ` (${reason.replace(/\.$/, '')})`
    return `${number(items.length)} ${kept}${why}: ${named(items)}.`
  })
  return [`${done === 0 ? 'None' : number(done)} ${DONE[act]}.`, ...sentences].join(' ')
}

function named(items: readonly Item[]): string {
  const names = items
    .slice(0, NAMED_MAX)
    .map((item) => `${brief('petName' in item ? item.petName : item.name)} (${item.id})`)
  const more = items.length - names.length
  return more > 0 ? `${names.join(', ')} and ${number(more)} more` : names.join(', ')
}
