// Where in the feed of events a reader begins. Times do not always follow the commits (a clock may be set back), so no index gives the
// first event that is not earlier: it is found by the latest time of each stretch of ids. A stretch that is full never changes, so its
// latest time is kept in memory.

import type { EventPlace, EventStart } from '../../domain/events.ts'
import { endOfTurn } from '../../system/turn.ts'
import { END, EPOCH, rowsBefore } from './events.ts'

/** Runs a SELECT whose parameters are $1, $2 and so on. */
export type AskFeed = <Row extends object>(sql: string, ...parameters: bigint[]) => Promise<Row[]>

/** Ids of a stretch. To look at so many takes a few milliseconds. */
const STRETCH = 32_768n
/** Before every time. */
const NEVER = -(2n ** 63n)

const PETS = '(SELECT id, created_at AS at FROM pets UNION ALL SELECT pet_id, at FROM changed_pets) AS pets'
const CHANGES = 'events'
// Of the table above, both databases would read every row.
const LAST_PET =
  'SELECT max(id) AS value FROM (SELECT max(id) AS id FROM pets UNION ALL SELECT max(pet_id) FROM changed_pets) AS ids'
const LAST_CHANGE = 'SELECT max(id) AS value FROM events'

export function placeFinder(ask: AskFeed): (start: EventStart) => Promise<EventPlace> {
  const firstPet = firstNotBefore(ask, PETS, LAST_PET)
  const firstChange = firstNotBefore(ask, CHANGES, LAST_CHANGE)

  /** The id of the first event at `time` or later, if any. */
  async function firstAt(time: bigint): Promise<bigint | undefined> {
    const [pet, change] = await Promise.all([firstPet(time), firstChange(time)])
    if (pet === undefined) return change
    const [row] = await ask<{ id: bigint }>(`SELECT $1 + ${rowsBefore('$1')} AS id`, pet)
    const petEvent = row?.id as bigint
    return change === undefined || petEvent < change ? petEvent : change
  }

  return async (start) => {
    const [row] = await ask<{ epoch: bigint; id: bigint }>(`SELECT ${EPOCH} AS epoch, ${END} AS id`)
    const { epoch, id: end } = row as EventPlace
    if (start === 'beginning') return { epoch, id: 0n }
    const first = start === 'now' ? undefined : await firstAt(BigInt(start))
    return { epoch, id: first === undefined ? end : first - 1n }
  }
}

/** Gives the id of the first row of the table whose time is not before `time`, if any. */
function firstNotBefore(ask: AskFeed, table: string, lastId: string): (time: bigint) => Promise<bigint | undefined> {
  const stretch = `FROM ${table} WHERE id > $1 AND id <= $2`
  const latestOf: bigint[] = []

  async function one(sql: string, ...parameters: bigint[]): Promise<bigint | undefined> {
    const [row] = await ask<{ value: bigint | null }>(sql, ...parameters)
    return row?.value ?? undefined
  }

  return async (time) => {
    const last = (await one(lastId)) ?? 0n
    for (let after = 0n, place = 0; after < last; after += STRETCH, place++) {
      const latest = latestOf[place] ?? (await one(`SELECT max(at) AS value ${stretch}`, after, after + STRETCH))
      if (latest !== undefined && latest >= time) {
        return one(`SELECT min(id) AS value ${stretch} AND at >= $3`, after, after + STRETCH, time)
      }
      if (after + STRETCH <= last) latestOf[place] = latest ?? NEVER
      await endOfTurn()
    }
  }
}
