// Level `store`: the inventory.

import { textOf } from '../answer.ts'
import { STATUSES } from '../fixtures.ts'
import { moves, newPetId, orderBody, place } from '../orders.ts'
import { seeded } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { expectSchema } from './errors.ts'
import { conditionRows } from './shared/conditions.ts'
import { follow, linkOf } from './shared/links.ts'
import { type Check, ofStore, racing, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')

const counts = async (probe: Probe) => {
  const answer = await probe.read('/store/inventory')
  return {
    answer,
    of: Object.fromEntries(STATUSES.map((status) => [status, answer.expectInt64(status)])),
  }
}

const COUNT_PAGES_MAX = 20
const QUIET_MS = 15
const QUIET_TRIES = 4

/** Counts the listed pets of each status. Rejects with Unjudged if the list is too long. */
async function counted(probe: Probe): Promise<Record<string, bigint>> {
  const of: Record<string, bigint> = { available: 0n, pending: 0n, sold: 0n }
  let page = await probe.read('/pets?limit=100')
  for (let n = 1; ; n++) {
    for (const pet of page.objects()) of[textOf(pet.get('status'))] = (of[textOf(pet.get('status'))] ?? 0n) + 1n
    const next = linkOf(page, 'next')
    if (next === undefined) return of
    if (n === COUNT_PAGES_MAX) throw probe.unjudged('There are too many pets to count.')
    page = (await follow(probe, page, next)).expectStatus(200)
  }
}

/** Resolves with the counts, if they are the same before and after `work`. Rejects with Unjudged if others write. */
export async function whileQuiet<Value>(probe: Probe, work: () => Promise<Value>) {
  for (let n = 0; n < QUIET_TRIES; n++) {
    const before = await counts(probe)
    const value = await work()
    const after = await counts(probe)
    if (before.answer.text === after.answer.text) return { ...after, value }
  }
  throw probe.unjudged('Other clients write all the time.')
}

const sameCounts = async (probe: Probe): Promise<void> => {
  await seeded(probe)
  const { answer, of, value: pets } = await whileQuiet(probe, () => counted(probe))
  for (const status of STATUSES)
    answer.expect(of[status] === pets[status], `${status}: ${pets[status]}, as listed`, `${status}: ${of[status]}`)
}

const quietCounts = (probe: Probe) => whileQuiet(probe, () => Bun.sleep(QUIET_MS))

/** Expects each step to move exactly one pet from one count to another. */
const follows: Check = async (probe) => {
  let [petId, id] = ['', '']
  const create = async () => {
    petId = await newPetId(probe)
  }
  const order = async () => {
    id = (await place(probe, orderBody(petId))).expectStatus(201).id
  }
  const steps = [
    { what: 'a create', from: undefined, to: 'available', act: create },
    { what: 'an order', from: 'available', to: 'pending', act: order },
    { what: 'a completion', from: 'pending', to: 'sold', act: () => moves.complete(probe, id) },
    { what: 'a return', from: 'sold', to: 'available', act: () => moves.return(probe, id) },
    { what: 'another create', from: undefined, to: 'available', act: create },
    { what: 'its deletion', from: 'available', to: undefined, act: () => probe.ask(`DELETE /pets/${petId}`) },
  ]
  let before = await quietCounts(probe)
  for (const { what, from, to, act } of steps) {
    await act()
    const after = await quietCounts(probe)
    after.answer.expectOtherTag(before.answer.header('ETag'))
    for (const status of STATUSES) {
      const expected = (before.of[status] ?? 0n) + (status === to ? 1n : 0n) - (status === from ? 1n : 0n)
      const actual = after.of[status]
      after.answer.expect(actual === expected, `after ${what}, ${status}: ${expected}`, `${status}: ${actual}`)
    }
    before = after
  }
}

export const inventoryPromises = [
  row('inventory.get.success', 'GET /store/inventory returns 200 with the number of pets of each status.')
    .from([response('getInventory', 200), ...STATUSES.map((status) => schema('Inventory', status))])
    .check(async (probe) => expectSchema(await probe.read('/store/inventory'))),
  row('inventory.get.counts', 'The counts match the listed pets.')
    .from(ofStore('Inventory'), { ...racing('inventory.get.success', 'pets.list.next.follow'), alone: 'reads' })
    .check(sameCounts),
  row('inventory.get.follows', 'The counts change immediately with each create, deletion and order change.')
    .from(ofStore('Inventory'), {
      ...writing('inventory.get.success', 'orders.return.success', 'pets.delete.success'),
      alone: 'writes',
      races: true,
    })
    .check(follows),
  ...conditionRows({
    id: 'inventory.get',
    first: 'inventory.get.success',
    path: async () => '/store/inventory',
    alone: 'reads',
  }),
]
