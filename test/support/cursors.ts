// Cursors in the middle of a list.

import type { PetStatus } from '../../packages/service/src/domain/pets.ts'
import { linksOf } from '../../packages/service/src/http/request/cursor.ts'

/** The cursor of the page of pets after this id, oldest first. */
export function cursorAfter(after: bigint, status?: PetStatus): string {
  const query = { limit: 1, sort: 'oldest', status, categoryId: undefined, search: undefined } as const
  const page = { json: '[]', next: after, prev: undefined }
  return /cursor=([^>]+)/.exec(linksOf((target) => target, 'pets', query, page) ?? '')?.[1] ?? ''
}
