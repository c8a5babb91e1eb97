// What is recorded of each call: what was asked, when it began and ended, and what was answered.

import type { AnsweredOrder } from './versions.ts'

export interface ListAsk {
  readonly kind: 'list'
  readonly list: 'pets' | 'orders'
  readonly status?: string
  readonly categoryId?: number
  readonly petId?: number
  readonly search?: string
  readonly newest: boolean
  /** The id that the page begins behind, in the order in which it is read; of a page that was reached by `prev` that is backwards. */
  readonly after?: number
  readonly back: boolean
  readonly limit: number
}

export type Ask =
  | ListAsk
  | { readonly kind: 'pet' | 'order' | 'delete'; readonly id: number }
  /** `ifMatch`: the order as it was answered with the tag that is sent. */
  | { readonly kind: 'complete' | 'cancel' | 'return'; readonly id: number; readonly ifMatch?: AnsweredOrder }
  | {
      readonly kind: 'change'
      readonly id: number
      readonly reference: string
      readonly ifMatch?: AnsweredOrder
    }
  | { readonly kind: 'inventory' }
  /** `after`: the id of the last event that this reader has seen; 0 at the beginning. */
  | { readonly kind: 'events'; readonly after: number; readonly petId?: number; readonly limit: number }
  | { readonly kind: 'add'; readonly name: string; readonly status: string; readonly categoryId: number }
  /** `ifMatch`: the pet as it was answered with the tag that is sent. */
  | { readonly kind: 'rename'; readonly id: number; readonly name: string; readonly ifMatch?: string }
  | { readonly kind: 'free'; readonly id: number }
  | { readonly kind: 'place'; readonly petId: number; readonly reference: string; readonly expiresAt?: string }

export interface Operation {
  readonly n: number
  readonly client: number
  readonly server: number
  /** Milliseconds on one clock. Without an answer it never ends: what it asks may happen later. */
  readonly startedAt: number
  readonly endedAt: number
  readonly ask: Ask
  /** How it was sent. */
  readonly line: string
  /** 0 without an answer. */
  readonly status: number
  /** The body; of a 304 the body of the answer whose tag was sent, and its links. */
  readonly text: string
  readonly links: string
  readonly replayed: boolean
}

/** Whether it tells nothing but that it was asked. */
export function isUnanswered({ status }: Pick<Operation, 'status'>): boolean {
  return status === 0 || status === 503
}
