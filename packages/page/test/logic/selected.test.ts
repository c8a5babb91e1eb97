// Actions on selected rows: each row separately, with one message about all.

import { expect, test } from 'bun:test'
import { PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { NOT_RESPONDING } from '../../src/failures.ts'
import type { Item } from '../../src/list/list-position.ts'
import { Records } from '../../src/live/records.ts'
import { type Act, actOnEach } from '../../src/selection/bulk-actions.ts'
import { fakeClient, order, pet, refused } from './fake-client.ts'

const tag = (_id: bigint, _change: object, { onEntityTag }: { onEntityTag: (tag: string) => void }) =>
  onEntityTag('"t"')

async function act(act: Act, items: readonly Item[], refusals: Record<string, () => never> = {}, stopAfter = 99) {
  let tried = 0
  const answer = (id: bigint) => refusals[String(id)]?.()
  const { calls, client } = fakeClient({
    updatePet: tag,
    updateOrder: tag,
    deletePet: answer,
    cancelOrder: answer,
    listOrderPage: () => ({ orders: [] }),
  })
  const records = new Records()
  records.keep([order(7)])
  records.keepUnheld([3n])
  const outcome = await actOnEach(act, {
    client,
    items,
    records,
    report: (count) => (tried = count),
    isStopped: () => tried >= stopAfter,
  })
  return { ...outcome, calls }
}

const lost = () => {
  throw new PetstoreNetworkError('lost')
}

test('deletes each row that is still as shown, and lists the others with the reason', async () => {
  const items = Array.from({ length: 12 }, (_, n) => pet(n + 1))
  const hasOrders = () => refused('pet_has_orders')
  const refusals = Object.fromEntries([3, 4, 5, 6].map((id) => [id, hasOrders]))
  const { calls, complete, done, sentence } = await act('delete', items, {
    ...refusals,
    1: () => refused('precondition_failed', 412),
    2: () => refused('not_found', 404),
  })
  expect(done).toHaveLength(6)
  expect(complete).toBe(false)
  expect(sentence).toStartWith('6 deleted. ')
  for (const part of [
    '1 kept because another till has just changed it: Pet 1 (1).',
    '1 kept because another till has deleted it: Pet 2 (2).',
    '4 kept because they have orders: Pet 3 (3), Pet 4 (4), Pet 5 (5) and 1 more.',
  ]) {
    expect(sentence).toContain(part)
  }
  const deletions = calls.filter(([name]) => name === 'deletePet')
  expect(deletions[0]?.[2]).toMatchObject({ ifMatch: '"t"' })
})

test('releases reserved rows, and lists the others with the reason', async () => {
  const items = [pet(1, { status: 'pending' }), pet(2), pet(3, { status: 'pending' }), order(8)]
  const { calls, done, sentence } = await act('release', items)
  expect(done).toEqual([1n, 8n])
  expect(sentence).toBe(
    '2 released. 1 not released because it is not reserved: Pet 2 (2). 1 not released because it was entered by hand: Pet 3 (3).',
  )
  const cancelled = calls.filter(([name]) => name === 'cancelOrder')
  expect(cancelled.map(([, id]) => id)).toEqual([7n, 8n])
  for (const [, , options] of cancelled) expect(options).toMatchObject({ ifMatch: '"t"' })
})

test('reports complete success in one short sentence', async () => {
  expect(await act('delete', [pet(1)])).toMatchObject({ complete: true, sentence: '1 deleted.' })
})

test('leaves the remaining rows unchanged if the person stops it or the service does not respond', async () => {
  const items = Array.from({ length: 20 }, (_, n) => pet(n + 1))
  const stopped = await act('delete', items, {}, 8)
  expect(stopped.done.length).toBeWithin(8, 13)
  expect(stopped.sentence).toContain('kept (You stopped): ')
  const cut = await act('delete', items, { 9: lost })
  expect(cut.done.length).toBeLessThan(14)
  expect(cut.sentence).toContain(`kept (${NOT_RESPONDING.slice(0, -1)}): `)
})
