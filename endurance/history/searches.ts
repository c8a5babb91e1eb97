// Which answers to a search are explained. A search is several readings, so its rows are judged one by one: each was so at some time
// while it ran, and whatever matched all the time is there, as far as its page reaches.

import type { ListAsk, Operation } from './operations.ts'
import { type AnsweredOrder, contentOf, orderRow, type Pet, petRow, type Versions } from './versions.ts'

/** How one pet or order looked at a version: its row and its words, where they are known. */
interface Look {
  readonly row: string
  readonly words: readonly (string | undefined)[]
}

/** Why no versions from `floor` to `last` explain it. */
export function searchFault(
  { text, links }: Operation,
  ask: ListAsk & { readonly search: string },
  versions: Versions,
  [floor, last]: readonly [number, number],
): string | undefined {
  const answer = JSON.parse(text) as (Pet | AnsweredOrder)[]
  const looks = function* (id: number) {
    for (let version = floor; version <= last; version++) yield lookAt(ask, id, version, versions)
  }
  const isSurely = (look: Look | undefined) => look?.words.some((word) => word?.startsWith(ask.search))
  const isMaybe = (look: Look | undefined) =>
    look?.words.some((word) => word === undefined || word.startsWith(ask.search))
  for (const one of answer) {
    const row = rowOf(one)
    if (!looks(one.id).some((look) => look && isMaybe(look) && isRow(look, row)))
      return `${ask.list.slice(0, -1)} ${row} is found, and was never so`
  }
  const shown = answer.map(({ id }) => id)
  if (shown.length > ask.limit) return `a page of ${ask.limit} has ${shown.length} rows`
  const sign = ask.newest ? -1 : 1
  if (shown.some((id, n) => n > 0 && sign * (id - (shown[n - 1] as number)) <= 0)) return 'its rows are in no order'

  // From here on along the direction in which it was read.
  const along = ask.newest === ask.back ? 1 : -1
  const isBehindStart = (id: number) => ask.after === undefined || along * (id - ask.after) > 0
  const farthest = ask.back ? shown[0] : shown.at(-1)
  const goesOn = links.includes(ask.back ? 'rel="prev"' : 'rel="next"')
  if (goesOn && farthest === undefined) return 'it goes on behind nothing'
  const isBeyond = (id: number) => goesOn && along * (id - (farthest as number)) > 0
  const ids = (ask.list === 'pets' ? versions.petIds : versions.orderIds).filter(isBehindStart)
  for (const id of ids)
    if (!shown.includes(id) && !isBeyond(id) && looks(id).every(isSurely))
      return `${ask.list.slice(0, -1)} ${id} is not found, and was there all the time`
  if (goesOn && !ids.some((id) => isBeyond(id) && looks(id).some(isMaybe))) return 'it goes on, and nothing follows'
  return undefined
}

function lookAt(ask: ListAsk, id: number, version: number, versions: Versions): Look | undefined {
  if (ask.list === 'pets') {
    const pet = versions.pet(id, version)
    return pet && { row: petRow(pet), words: [pet.name] }
  }
  const order = versions.order(id, version)
  if (!order) return undefined
  const { name = '' } = versions.pet(order.petId, version) ?? {}
  const { content } = order
  return { row: `${orderRow(order, name)} ${content ?? ''}`, words: [name, content?.split(' ')[0]] }
}

function rowOf(one: Pet | AnsweredOrder): string {
  return 'petName' in one ? `${orderRow(one, one.petName)} ${contentOf(one)}` : petRow(one)
}

/** An order whose content is not known has any. */
function isRow({ row }: Look, shown: string): boolean {
  return row.endsWith(' ') ? shown.startsWith(row) : shown === row
}
