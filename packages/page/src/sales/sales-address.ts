// The address of a day: `/?view=sales&day=2026-11-22&type=order.placed`. Version 1.0.0 called the view `activity`.

import type { EventType } from '../../../contract/src/generated.ts'
import { isDay } from '../../../files/src/local-time.ts'
import { EVENT_NAMES } from '../animal/status-labels.ts'

export interface SalesPosition {
  kind: 'sales'
  /** `undefined`: today. */
  day?: string | undefined
  /** `undefined`: all types. */
  type?: EventType | undefined
}

export function salesAddress({ day, type }: SalesPosition): string {
  const query = new URLSearchParams({ view: 'sales' })
  if (day !== undefined) query.set('day', day)
  if (type !== undefined) query.set('type', type)
  return `./?${query}`
}

/** Ignores an invalid day or type; wrong-address.ts reports it. */
export function salesFrom(query: URLSearchParams): SalesPosition | undefined {
  if (!['sales', 'activity'].includes(query.get('view') ?? '')) return undefined
  const [day, type] = [query.get('day') ?? '', query.get('type') ?? '']
  return {
    kind: 'sales',
    day: isDay(day) ? day : undefined,
    type: type in EVENT_NAMES ? (type as EventType) : undefined,
  }
}
