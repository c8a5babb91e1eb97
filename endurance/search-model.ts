// The page that a search must give, by a look at every row.

import type { PetFilter } from '../packages/service/src/domain/pets.ts'
import { modelFinds } from '../test/support/search-rules.ts'

export interface Item {
  id: bigint
  text: string
  status: string
  categoryId?: bigint
}

export type Asked = Pick<PetFilter, 'limit' | 'sort' | 'after' | 'back'> & {
  search: string
  status: string | undefined
  categoryId?: bigint | undefined
}

export function modelPage(items: readonly Item[], { search, status, categoryId, sort, after, back, limit }: Asked) {
  const all = items
    .filter((item) => (status ?? item.status) === item.status && (categoryId ?? item.categoryId) === item.categoryId)
    .filter(({ text }) => modelFinds(text, search))
    .map(({ id }) => id)
  if (sort === 'newest') all.reverse()
  const follows = (id: bigint) => after === undefined || (sort === 'oldest' ? id > after : id <= after)
  const start = all.findIndex(follows)
  const place = start < 0 ? all.length : start
  const [from, to] = back ? [Math.max(0, place - limit), place] : [place, Math.min(all.length, place + limit)]
  return { ids: all.slice(from, to), next: to < all.length, prev: from > 0 }
}
