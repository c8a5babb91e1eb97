// Which part of the activity is shown, as part of the page's address: `/?view=activity&day=2026-11-22&type=order.completed&key=till+3`.

import { isDay } from './days.ts'
import { KINDS, type Kind } from './kinds.ts'

export interface ActivityPosition {
  kind: 'activity'
  /** `undefined`: today, whichever day that is. */
  day?: string | undefined
  /** `undefined`: everything that happened. */
  type?: Kind | undefined
  /** The name of a key; empty: what the service did by itself. */
  by?: string | undefined
}

export function activityAddress({ day, type, by }: ActivityPosition): string {
  const query = new URLSearchParams({ view: 'activity' })
  if (day !== undefined) query.set('day', day)
  if (type !== undefined) query.set('type', type)
  if (by !== undefined) query.set('key', by)
  return `./?${query}`
}

/** What the address does not say, or says wrongly, is left out. */
export function activityFrom(query: URLSearchParams): ActivityPosition | undefined {
  if (query.get('view') !== 'activity') return undefined
  const day = query.get('day')
  const type = (Object.keys(KINDS) as Kind[]).find((kind) => kind === query.get('type'))
  return { kind: 'activity', day: isDay(day) ? day : undefined, type, by: query.get('key') ?? undefined }
}
