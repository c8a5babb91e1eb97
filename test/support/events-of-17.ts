// A store of schema 17, whose feed had no row for a pet that was added, in the SQL of both stores; and the ids that its events have.

import { expect } from 'bun:test'
import type { Store } from '../../packages/service/src/domain/store.ts'
import { allEvents } from './events.ts'
import { newPet } from './pets.ts'

/** Pet 2 was corrected, pet 3 deleted, and pet 4 never ordered; pets 1 and 5 were ordered. */
export const OF_17 = (no: string) => `
  INSERT INTO keys (name, hash, read_only, created_at) VALUES ('till', 'h', ${no}, 0);
  INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES
    ('a "1"', 7, 'available', 10, 1), ('b, mended', -9007199254740993, 'pending', 20, 1), ('c', 7, 'sold', 30, 1), ('d', 7, 'sold', 40, 1),
    ('e', 7, 'sold', 15, 1);
  DELETE FROM pets WHERE id = 3;
  INSERT INTO changed_pets VALUES
    (2, '{"id":2,"name":"b","categoryId":-9007199254740993,"status":"pending"}', 20, 1),
    (3, '{"id":3,"name":"c","categoryId":7,"status":"sold"}', 30, 1);
  INSERT INTO orders (pet_id, status, placed_at, changed_at) VALUES (1, 'cancelled', 12, 25), (5, 'completed', 50, 60);
  INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id, pet) VALUES
    (2, 1, 'order.placed', 12, 1, 1, 1, NULL), (4, 2, 'order.expired', 25, NULL, 1, 1, NULL),
    (5, 2, 'pet.changed', 26, 1, 2, NULL, '{"id":2,"name":"b, mended","categoryId":-9007199254740993,"status":"pending"}'),
    (7, 3, 'pet.deleted', 31, 1, 3, NULL, NULL), (10, 5, 'order.placed', 50, 1, 5, 2, NULL), (11, 5, 'order.completed', 60, 1, 5, 2, NULL);`

/** Id, type, time, pet, its status, its name. */
const EVENTS = [
  '1 pet.added 10 1 available a "1"',
  '2 order.placed 12 1 pending ',
  '3 pet.added 20 2 pending b',
  '4 order.expired 25 1 available ',
  '5 pet.changed 26 2 pending b, mended',
  '6 pet.added 30 3 sold c',
  '7 pet.deleted 31 3  ',
  '8 pet.added 40 4 sold d',
  '9 pet.added 15 5 available e',
  '10 order.placed 50 5 pending ',
  '11 order.completed 60 5 sold ',
]

/** Closes the store. */
export async function expectEventsOf17(store: Store): Promise<void> {
  const events = await allEvents(store)
  expect(
    events.map(({ id, type, at, petId, petStatus = '', pet }) =>
      [id, type, Date.parse(at), petId, petStatus, pet?.name ?? ''].join(' '),
    ),
  ).toEqual(EVENTS)
  expect(events[2]?.pet?.categoryId).toBe(-9007199254740993n)
  const older = (id: bigint) => store.findEnd().then(({ epoch }) => ({ epoch, id, mark: undefined }))
  expect(await allEvents(store, { after: await older(7n) })).toEqual(events.slice(7))
  await store.createPet(newPet(), 1n)
  expect((await allEvents(store)).at(-1)).toMatchObject({ id: 12n, petId: 6n })
  await store.close()
}
