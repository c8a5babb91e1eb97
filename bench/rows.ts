// The rows of the benchmark. Targets are shares of the floor, because the runtime sets the limit.

import { ALL, type Contender, FASTIFY, FLOOR, US } from './contenders.ts'
import { each, type Figure, ratios } from './figures.ts'
import { WORK, type WorkName } from './requests.ts'
import { measureTogether, type Pace } from './rounds.ts'

export interface Row {
  work: WorkName
  /** The title in bench/RESULTS.md. */
  title: string
  contenders: readonly Contender[]
  pets: number
  /** The target, as a share of the floor's rate. */
  share?: number
}

export interface Result extends Row {
  figures: readonly Figure[]
  isMissed: boolean
}

const STORED = [US, FLOOR, FASTIFY]
const MILLION = { pets: 1e6 }

export const ROWS: readonly Row[] = [
  { work: 'list', title: 'a list of 20 that many clients request', contenders: ALL, pets: 1e3, share: 0.95 },
  { work: 'filtered', title: '… with a status, 100 pages in rotation', contenders: ALL, ...MILLION, share: 0.95 },
  {
    work: 'not-modified',
    title: '… with 304, because it has not changed',
    contenders: [US, FLOOR],
    pets: 1e3,
    share: 1,
  },
  {
    work: 'pages',
    title: 'a page of 20 that is not cached, of 10^6 pets',
    contenders: ALL,
    ...MILLION,
    share: 0.55,
  },
  { work: 'pet', title: 'one pet by id, of 10^6', contenders: ALL, ...MILLION, share: 0.75 },
  { work: 'create', title: 'a new pet, on disk before its 201', contenders: STORED, pets: 1e3, share: 0.6 },
  { work: 'place', title: 'a new order', contenders: [US, FLOOR], ...MILLION, share: 0.5 },
  { work: 'complete', title: 'the completion of an order', contenders: [US, FLOOR], ...MILLION, share: 0.5 },
]

/** Throws an Error if a response is wrong. */
export async function measureRow(row: Row, pace: Pace): Promise<Result> {
  const { work, pets, contenders, share } = row
  const figures = await measureTogether(WORK[work], pets, contenders, pace)
  return { ...row, figures, isMissed: share !== undefined && toFloor(figures).median < share }
}

/** The service's rate as a share of the floor's. */
export function toFloor(figures: readonly Figure[]) {
  return ratios(each(figures, US.name, 'perSecond'), each(figures, FLOOR.name, 'perSecond'))
}
