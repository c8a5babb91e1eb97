// Events in another order, or other ones than those that happened or were asked for; times that are wrong.

import { EVENTS } from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import {
  answered,
  type Body,
  ending,
  everyRow,
  type Faults,
  json,
  remembered,
  shifted,
  target,
  withBody,
} from './fault.ts'

const events = (change: (rows: Body[]) => Body[]) => answered(EVENTS, change)
const withoutEvent = (type: string) => events((rows) => rows.filter((row) => row.type !== type))
const asking = (wrong: RegExp, right = '') => target(EVENTS, (path) => path.replace(wrong, right))
/** Changes a page of the feed; `all` keeps events of the pages before. */
const known = (change: (rows: Body[], all: Map<number, Body>) => Body[]) =>
  remembered(EVENTS, () => {
    const all = new Map<number, Body>()
    return async (request, pass) => {
      const response = await pass(request)
      return response.status === 200 ? withBody(response, change(json(response), all)) : response
    }
  })

export const ORDER: Faults = {
  /** Two that follow each other have exchanged all but their ids. */
  'two events in the wrong order': known((rows, all) => {
    for (const row of rows) all.set(row.id, row)
    const other = (id: number) => all.get(id % 2 === 0 ? id + 1 : id - 1)
    return rows.map((row) => (other(row.id) && /pet\./.test(row.type) ? { ...other(row.id), id: row.id } : row))
  }),
  'renames that no event tells': withoutEvent('pet.changed'),
  'deletions that no event tells': withoutEvent('pet.deleted'),
  'expiries that no event tells': withoutEvent('order.expired'),
  'changes of orders that no event tells': withoutEvent('order.changed'),
  'an event that is told twice': events((rows) => (rows.length > 1 ? [...rows.slice(0, -1), ...rows.slice(-2)] : rows)),
  'the status of the pet before it was sold': events((rows) =>
    rows.map((row) => (row.type === 'order.completed' ? { ...row, petStatus: 'pending' } : row)),
  ),
  'a pet that is told as it is now': known((rows, latest) => {
    for (const row of rows) if (row.pet) latest.set(row.petId, row.pet)
    return rows.map((row) => (row.pet ? { ...row, pet: latest.get(row.petId) } : row))
  }),
  'the terms of an order as they are now': known((rows, latest) => {
    for (const row of rows) if (row.terms) latest.set(row.orderId, row.terms)
    return rows.map((row) => (row.terms ? { ...row, terms: latest.get(row.orderId) } : row))
  }),
  'a type of events that is ignored': asking(/&type=[\w.]+/g),
  'of two types of events the first': asking(/(&type=[\w.]+)&type=[\w.]+/, '$1'),
  'events after the end that was asked for': asking(/&to=[^&]+/),
  'the newest events in the order of the oldest': asking(/&sort=newest/),
  'changes in the name of another key': events((rows) => rows.map((row) => (row.by ? { ...row, by: 'first' } : row))),
}

export const TIMES: Faults = {
  'a completion dated before its order': everyRow((row) => {
    const name = row.at ? 'at' : 'changedAt'
    return (row.orderStatus ?? row.status) === 'completed' ? { ...row, [name]: shifted(row[name], -3_600_000) } : row
  }),
  'a clock that is 300 ms behind': everyRow((row) => {
    const names = ['at', 'placedAt', 'changedAt'].filter((name) => row[name])
    return { ...row, ...Object.fromEntries(names.map((name) => [name, shifted(row[name], -300)])) }
  }),
  'the time of an order when it was placed': everyRow((row) =>
    row.placedAt ? { ...row, changedAt: row.placedAt } : row,
  ),
  'events of another time than their orders': events((rows) => rows.map((row) => ({ ...row, at: shifted(row.at, 1) }))),
  'ends without milliseconds': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: `${row.expiresAt.slice(0, 19)}.000Z` } : row,
  ),
  'an expiry before its end': everyRow(ending(60_000)),
}
