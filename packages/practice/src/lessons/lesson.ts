// What a lesson is: a sentence about clients, and how each request of a record shows whether it is kept.

import type { Exchange } from '../exchange.ts'
import type { History } from '../history.ts'

/** Whether this request shows that the client keeps the lesson (true) or misses it (false); `undefined`: it shows neither. */
export type Judge = (exchange: Exchange) => boolean | undefined

export interface Lesson {
  sentence: string
  /** What a client that misses it does next, and the page that explains it. */
  advice: string
  /** The judge gets each request of the history once, in their order. */
  judge(history: History): Judge
}

/** By their ids. */
export type Lessons = Readonly<Record<string, Lesson>>
