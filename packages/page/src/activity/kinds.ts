// The kinds of what happened, by which the activity is narrowed, and their names on the page.

import type { EventType } from '../../../contract/src/generated.ts'
import { EVENT_NAMES } from '../record/event-line.tsx'

export const KINDS = { ...EVENT_NAMES, ending: 'Ends today' } as const satisfies Record<EventType | 'ending', string>
export type Kind = keyof typeof KINDS
