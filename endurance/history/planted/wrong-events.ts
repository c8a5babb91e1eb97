// Events in another order, or other ones than those that happened or were asked for; times that are wrong.

import { type Body, events, everyRow, json, type Making, of, shifted, withBody } from './fault.ts'

const withoutEvent = (type: string): Making => events((rows) => rows.filter((row) => row.type !== type))

/** Two events that follow each other have exchanged all but their ids. */
const exchanged =
  (ms: number): Making =>
  () => {
    const known = new Map<number, Body>()
    return of('listEvents', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const rows: Body[] = json(received)
      for (const row of rows) known.set(row.id, row)
      const other = (id: number) => known.get(id % 2 === 0 ? id + 1 : id - 1)
      // The page ends before an event that is too new for the other one to be known.
      const end = rows.findIndex((row) => Date.now() - Date.parse(row.at) < ms)
      if (end >= 0) return withBody(received, [], received.headers.get('Link'))
      return withBody(
        received,
        rows.map((row) => (other(row.id) && /pet\./.test(row.type) ? { ...other(row.id), id: row.id } : row)),
      )
    })
  }

export const ORDER: Readonly<Record<string, Making>> = {
  'two events in the wrong order': exchanged(0),
  'renames that no event tells': withoutEvent('pet.changed'),
  'deletions that no event tells': withoutEvent('pet.deleted'),
  'expiries that no event tells': withoutEvent('order.expired'),
  'changes of orders that no event tells': withoutEvent('order.changed'),
  'an event that is told twice': events((rows) => (rows.length > 1 ? [...rows.slice(0, -1), ...rows.slice(-2)] : rows)),
  'the status of the pet before it was sold': events((rows) =>
    rows.map((row) => (row.type === 'order.completed' ? { ...row, petStatus: 'pending' } : row)),
  ),
  'a pet that is told as it is now': () => {
    const latest = new Map<number, Body>()
    return of('listEvents', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const rows: Body[] = json(received)
      for (const row of rows) if (row.pet) latest.set(row.petId, row.pet)
      return withBody(
        received,
        rows.map((row) => (row.pet ? { ...row, pet: latest.get(row.petId) } : row)),
      )
    })
  },
  'a type of events that is ignored': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&type=[\w.]+/g, '') })),
  'of two types of events the first': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/(&type=[\w.]+)&type=[\w.]+/, '$1') })),
  'events after the end that was asked for': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&to=[^&]+/, '') })),
  'the newest events in the order of the oldest': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace('&sort=newest', '') })),
  'changes in the name of another key': events((rows) => rows.map((row) => (row.by ? { ...row, by: 'first' } : row))),
}

export const TIMES: Readonly<Record<string, Making>> = {
  'a completion dated before its order': everyRow((row) => {
    const status = row.orderStatus ?? row.status
    if (status !== 'completed') return row
    return row.at
      ? { ...row, at: shifted(row.at, -3_600_000) }
      : { ...row, changedAt: shifted(row.changedAt, -3_600_000) }
  }),
  'a clock that is 300 ms behind': everyRow((row) => {
    const at = row.at ? { at: shifted(row.at, -300) } : {}
    return row.placedAt
      ? { ...row, placedAt: shifted(row.placedAt, -300), changedAt: shifted(row.changedAt, -300) }
      : { ...row, ...at }
  }),
  'the time of an order when it was placed': everyRow((row) =>
    row.placedAt ? { ...row, changedAt: row.placedAt } : row,
  ),
  'events of another time than their orders': events((rows) => rows.map((row) => ({ ...row, at: shifted(row.at, 1) }))),
  'ends without milliseconds': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: `${row.expiresAt.slice(0, 19)}.000Z` } : row,
  ),
  'an expiry before its end': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: shifted(row.expiresAt, 60_000) } : row,
  ),
}
