// Finds invalid filters in an address, such as a link that was typed by hand. The page ignores them.

import { int64FromDecimal } from '../../contract/src/int64.ts'
import { isDay } from '../../files/src/local-time.ts'
import { parseInteger } from './animal/fields.ts'
import { EVENT_NAMES, STATUSES_OF } from './animal/status-labels.ts'
import { fromIdRanges } from './list/id-ranges.ts'

/** In the form `category=dog`. */
export function wrongIn(address: string): string[] {
  const query = new URLSearchParams(address)
  const view = query.get('view') === 'orders' ? 'orders' : 'animals'
  const isRight: Record<string, (text: string) => boolean> = {
    status: (text) => STATUSES_OF[view].some(([status]) => status === text),
    category: (text) => int64FromDecimal(text) !== undefined,
    ids: (text) => fromIdRanges(text) !== undefined,
    animal: (text) => parseInteger(text) !== undefined,
    order: (text) => parseInteger(text) !== undefined,
    day: isDay,
    type: (text) => text in EVENT_NAMES,
  }
  return [...query].filter(([name, text]) => isRight[name]?.(text) === false).map((pair) => pair.join('='))
}
