// Editing sends only the changed fields, and only if the record is still as shown.

import { expect, test } from 'bun:test'
import { differing, type Fields, fieldsOf, fromTo, NOTHING, save } from '../../src/record/edits.ts'
import type { RecordData } from '../../src/record/history.ts'
import { fakeClient, order, pet, refused } from './fake-client.ts'

const ANIMAL: RecordData = {
  animal: { pet: pet(1, { name: 'Rex' }), deleted: false, events: [] },
  orders: [],
  order: undefined,
}
const END = '2999-01-01T11:00:00.000Z'
const ORDER: RecordData = { ...ANIMAL, order: order(7, { reference: 'Ana', expiresAt: END }) }

const READ = { 'an animal': ANIMAL, 'an order': ORDER }

/** A service that returns a tag for each change. */
function service() {
  const tag = (_id: bigint, _change: object, { onEntityTag }: { onEntityTag?: (tag: string) => void }) =>
    onEntityTag?.('"tag"')
  return fakeClient({ updatePet: tag, updateOrder: tag })
}

test.each<[keyof typeof READ, Partial<Fields>, object | undefined, string]>([
  ['an animal', {}, undefined, NOTHING],
  ['an animal', { name: 'Luna' }, { name: 'Luna' }, 'Luna is saved.'],
  ['an animal', { categoryId: ' 9223372036854775807 ' }, { categoryId: 9223372036854775807n }, 'Rex is saved.'],
  ['an order', {}, undefined, NOTHING],
  ['an order', { reference: ' Anna ' }, { reference: 'Anna' }, 'Order 7 is saved.'],
  [
    'an order',
    { reference: '', end: { hold: 'open', until: '' } },
    { reference: null, expiresAt: null },
    'Order 7 is saved.',
  ],
])('editing %s: %j sends only that', async (of, edits, change, sentence) => {
  const read = READ[of]
  const { calls, client } = service()
  const saved = await save(client, read, { ...fieldsOf(read), ...edits })
  expect(saved.sentence).toBe(sentence)
  const [first, second] = calls
  // The shown values come first, with a tag that never matches: the service rejects them if the record changed.
  const shown = read.order ? { reference: 'Ana', expiresAt: END } : { name: 'Rex', categoryId: 7n }
  expect(first?.[2]).toEqual(change && shown)
  expect(second?.[2]).toEqual(change)
  if (change) expect(second?.[3]).toMatchObject({ ifMatch: '"tag"' })
  expect([calls.length, saved.undo !== undefined]).toEqual(change ? [2, true] : [0, false])
  // Undo restores the values, unless the record changed since.
  await saved.undo?.()
  if (change) expect(calls[2]?.slice(2)).toEqual([shown, { ifMatch: '"tag"' }])
})

test.each<[keyof typeof READ, Partial<Fields>, string]>([
  ['an order', { end: { hold: 'other', until: '' } }, 'Choose a day and a time.'],
  ['an animal', { categoryId: 'seven' }, 'categoryId must be a whole number.'],
])('editing %s: %j is invalid and not sent', async (of, edits, problem) => {
  const read = READ[of]
  const { calls, client } = service()
  const saving = save(client, read, { ...fieldsOf(read), ...edits })
  expect(await saving.catch((error) => [error instanceof RangeError, error.message])).toEqual([true, problem])
  expect(calls).toEqual([])
})

test('sends no change if the record is no longer as shown', async () => {
  const { calls, client } = fakeClient({ updatePet: () => refused('precondition_failed', 412) })
  const saving = save(client, ANIMAL, { ...fieldsOf(ANIMAL), name: 'Luna' })
  expect(await saving.catch(({ code }) => code)).toBe('precondition_failed')
  expect(calls).toHaveLength(1)
})

test('compares the fields of an animal and the terms of an order, and describes both', () => {
  const [was, is] = [
    fieldsOf(ORDER),
    { ...fieldsOf(ORDER), name: 'Luna', reference: '', end: { hold: 'open', until: '' } as const },
  ]
  expect(differing(ANIMAL, was, is)).toEqual(['name'])
  expect(differing(ORDER, was, is)).toEqual(['reference', 'end'])
  expect(fromTo(['name', 'categoryId', 'reference'], was, is)).toBe(
    'name from Rex to Luna, for whom from Ana to nobody',
  )
  expect(fromTo(['end'], was, is)).toEndWith(' to no end')
})
