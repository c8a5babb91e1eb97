// Checks search results. A search reads several times, so each row is judged separately: it had its state at some time during the search,
// and every row that matched during the whole search is on the page, within its range.

import { modelFinds } from '../../test/support/search-rules.ts'
import { type ListAsk, type Operation, type Order, type Pet, rowsOf } from './operations.ts'
import { isSameOrder, isSamePet } from './rows.ts'
import type { Versions } from './versions.ts'

/** A pet or order at one version. */
interface Look {
  readonly isShown: (one: Pet | Order) => boolean
  readonly text: string
}

/** Returns why the versions from `floor` to `last` do not explain the response. */
export function searchFault(
  operation: Operation,
  ask: ListAsk & { readonly search: string },
  versions: Versions,
  [floor, last]: readonly [number, number],
): string | undefined {
  const { links } = operation
  const answer = rowsOf<Pet | Order>(operation)
  const looks = function* (id: number) {
    for (let version = floor; version <= last; version++) yield lookAt(ask, id, version, versions)
  }
  const hasAll = (text: string) => modelFinds(text, ask.search)
  const isFound = (look: Look | undefined) => look !== undefined && hasAll(look.text)
  for (const one of answer)
    if (!looks(one.id).some((look) => look && isFound(look) && look.isShown(one)))
      return `${JSON.stringify(one)} is found, but never had this state`
  const shown = answer.map(({ id }) => id)
  if (shown.length > ask.limit) return `a page of ${ask.limit} has ${shown.length} rows`
  const sign = ask.newest ? -1 : 1
  if (shown.some((id, n) => n > 0 && sign * (id - (shown[n - 1] as number)) <= 0)) return 'its rows are out of order'

  // From here on, positions follow the reading direction.
  const along = ask.newest === ask.back ? 1 : -1
  const isBehindStart = (id: number) => ask.after === undefined || along * (id - ask.after) > 0
  const farthest = ask.back ? shown[0] : shown.at(-1)
  const goesOn = links.includes(ask.back ? 'rel="prev"' : 'rel="next"')
  if (goesOn && farthest === undefined) return 'it has a link to more, but no rows'
  const isBeyond = (id: number) => goesOn && along * (id - (farthest as number)) > 0
  const ids = (ask.list === 'pets' ? versions.petIds : versions.orderIds).filter(isBehindStart)
  for (const id of ids)
    if (!shown.includes(id) && !isBeyond(id) && looks(id).every(isFound))
      return `${ask.list.slice(0, -1)} ${id} is not found, although it always matched`
  if (goesOn && !ids.some((id) => isBeyond(id) && looks(id).some(isFound)))
    return 'it has a link to more, but nothing follows'
  return undefined
}

/** Returns `undefined` if the row does not exist or does not match the filters. */
function lookAt(ask: ListAsk, id: number, version: number, versions: Versions): Look | undefined {
  const row = versions.row(ask, id, version)
  if (!row) return undefined
  if (!('petId' in row)) return { isShown: (one) => isSamePet(row, one as Pet), text: row.name }
  const name = versions.petName(row, version)
  return { isShown: (one) => isSameOrder(row, name, one as Order), text: `${row.terms.reference ?? ''} ${name}` }
}
