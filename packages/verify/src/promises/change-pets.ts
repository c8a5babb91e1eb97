// Level `store`: correcting and deleting a pet.

import { number } from '../answer.ts'
import { absentId, addPet, newName, newWord } from '../fixtures.ts'
import { newPetId, orderThatIs, placed, REACHED_ALL, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { CREATE } from './create-pet.ts'
import { correctionRows, eventsUntil, expectRefused, wrongPatches } from './shared/correction-rows.ts'
import { replaysAfter } from './shared/idempotency.ts'
import { walk } from './shared/links.ts'
import { documented, operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const CHANGES = operation('updatePet', 'description')
const UPDATED = writing('pets.update.success')
export const petPath = async (probe: Probe) => `/pets/${await newPetId(probe)}`

const DELETED = writing('pets.delete.success')
const deleted = async (probe: Probe, path: string) =>
  (await probe.ask(`DELETE ${path}`)).expectStatus(204).expectText('')

export const petChangePromises = [
  row('pets.update.success', 'PATCH /pets/{petId} returns 200 with the pet as GET then shows it. Not deprecated.')
    .from(response('updatePet', 200), writing('pets.create.readable', 'pets.get.success'))
    .check(async (probe) => {
      const at = `/pets/${await newPetId(probe, { categoryId: 7n })}`
      const name = newName('renamed')
      const answer = (await probe.patch(at, { name })).expectStatus(200)
      answer.expectHeader('Deprecation', undefined).expectHeader('Sunset', undefined)
      for (const one of [answer, await probe.read(at)])
        one.expectMembers(Object.entries({ name, categoryId: number(7), status: 'available' }))
    }),
  row('pets.update.name', 'A name follows the rules for a new pet. Otherwise 400 invalid_pet, and nothing changes.')
    .from(schema('PetChange', 'name'), UPDATED)
    .check(async (probe) => {
      const at = await petPath(probe)
      await expectRefused(probe, at, 400, 'invalid_pet', ...wrongPatches('pets.update.name', probe, at))
      const name = ` ${newName()}  \u{1F436} "é" e\u0301\u200b `
      ;(await probe.patch(at, { name })).expectStatus(200).expectMember('name', name)
      ;(await probe.read(at)).expectMember('name', name)
    }),
  row('pets.update.category-id', 'A categoryId can be any int64 and is kept exactly. Other values: 400 invalid_pet.')
    .from(schema('PetChange', 'categoryId'), UPDATED)
    .check(async (probe) => {
      const at = await petPath(probe)
      for (const id of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
        ;(await probe.patch(at, `{"categoryId":${id}}`)).expectStatus(200)
        ;(await probe.read(at)).expectMember('categoryId', number(id))
      }
      await expectRefused(probe, at, 400, 'invalid_pet', ...wrongPatches('pets.update.category-id', probe, at))
    }),
  row('pets.update.status', 'A pet created as pending or sold can become available. Any other status change: 400.')
    .from(schema('PetChange', 'status'), UPDATED)
    .check(async (probe) => {
      for (const status of ['pending', 'sold']) {
        const at = `/pets/${(await addPet(probe, { status })).id}`
        ;(await probe.patch(at, { status: 'available' })).expectStatus(200).expectMember('status', 'available')
        await expectRefused(probe, at, 400, 'invalid_pet', () => probe.patch(at, { status }))
      }
      const at = await petPath(probe)
      await expectRefused(probe, at, 400, 'invalid_pet', ...wrongPatches('pets.update.status', probe, at))
    }),
  row('pets.update.held', 'A pet held by an order cannot become available: 409 pet_held, even if a precondition fails.')
    .from(response('updatePet', 409), writing('pets.update.success', 'orders.complete.success'))
    .check(async (probe) => {
      for (const status of ['pending', 'completed'] as const) {
        const at = `/pets/${(await orderThatIs(probe, status)).petId}`
        const change = { status: 'available', name: newName() }
        const requests = [{}, { 'If-Match': '"x"' }].map((headers) => () => probe.patch(at, change, { headers }))
        await expectRefused(probe, at, 409, 'pet_held', ...requests)
      }
    }),
  row('pets.update.same', 'Sending a pet back as read returns 200 and changes nothing.')
    .from(CHANGES, writing('pets.update.success', 'pets.get.etag'))
    .check(async (probe) => {
      const { petId } = await orderThatIs(probe, 'pending')
      const before = await probe.read(`/pets/${petId}`)
      const now = (await probe.patch(`/pets/${petId}`, before.text)).expectStatus(200)
      now.expectHeader('ETag', before.header('ETag'))
    }),
  row('pets.update.orders', "The pet's orders have its new name, and their ETags change.")
    .from(CHANGES, UPDATED)
    .check(async (probe) => {
      const { id, petId } = await placed(probe)
      const tag = (await readOrder(probe, id)).header('ETag')
      const name = newName('renamed')
      ;(await probe.patch(`/pets/${petId}`, { name })).expectStatus(200)
      const now = await readOrder(probe, id)
      now.expectMember('petName', name).expectOtherTag(tag)
    }),
  row('pets.update.lists', 'Filters, searches and ETags of lists reflect the change.')
    .from(CHANGES, writing('pets.update.status', 'pets.list.search', 'pets.list.status.sold'))
    .check(async (probe) => {
      const [old, now] = [newWord(), newWord()]
      const [before, after] = [absentId(), absentId()]
      const fields = { name: `petstore verify ${old}`, categoryId: BigInt(before), status: 'sold' }
      const { id } = await addPet(probe, fields)
      const lists = [
        [`search=${old}`, `search=${now}`],
        [`categoryId=${before}`, `categoryId=${after}`],
        [`status=sold&sort=newest`, `status=available&sort=newest`],
      ] as const
      const shows = async (query: string, expected: boolean) => {
        const list = await probe.read(`/pets?${query}&limit=100`)
        list.expect(list.ids.includes(id) === expected, `pet ${id} ${expected ? 'in' : 'not in'} the list`, list.text)
      }
      for (const [query] of lists) await shows(query, true)
      const list = `/pets?categoryId=${before}`
      const tag = (await probe.read(list)).header('ETag') ?? ''
      ;(await probe.patch(`/pets/${id}`, { name: `${fields.name} again` })).expectStatus(200)
      ;(await probe.get(list, { 'If-None-Match': tag })).expectStatus(200).expectOtherTag(tag)
      const change = { name: `petstore verify ${now}`, categoryId: BigInt(after), status: 'available' }
      ;(await probe.patch(`/pets/${id}`, change)).expectStatus(200)
      for (const [was, is] of lists) {
        await shows(was, false)
        await shows(is, true)
      }
    }),
  row('pets.update.replay', 'A replay of its create returns the first response, even after the change.')
    .from(CHANGES, writing('pets.update.success', 'pets.create.idempotency.replay'))
    .check(replaysAfter(CREATE, (probe, id) => probe.patch(`/pets/${id}`, { name: newName('renamed') }))),
  ...correctionRows({
    id: 'pets.update',
    path: petPath,
    ask: (probe, path, options) => probe.patch(path, { name: newName('corrected') }, options),
    same: ({ text }) => text,
  }),
  row('events.pet-changed', 'GET /store/events: A change of a pet is one pet.changed event with the new pet.')
    .from(schema('Event', 'pet'), writing('pets.update.success', 'events.list.order'))
    .check(async (probe) => {
      const first = await addPet(probe)
      const { id } = first
      const changed = (await probe.patch(`/pets/${id}`, { name: newName() })).expectStatus(200)
      ;(await probe.patch(`/pets/${id}`, changed.text)).expectStatus(200)
      const answer = await eventsUntil(probe, `petId=${id}`, 'pet.changed')
      const [added, event, ...others] = answer.objects()
      if (!added || !event || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember('pet', first.object(), added).expectMember('pet', changed.object(), event)
    }),
  row('pets.delete.success', 'DELETE /pets/{petId} returns 204, and the pet is gone.')
    .from(response('deletePet', 204), writing('pets.create.readable', 'pets.get.success'))
    .check(async (probe) => {
      const at = await petPath(probe)
      await deleted(probe, at)
      ;(await probe.get(at)).expectError(404, 'not_found')
    }),
  row('pets.delete.again', 'Deleting, changing or ordering a deleted pet returns 404.')
    .from(response('deletePet', 404), DELETED)
    .check(async (probe) => {
      const id = await newPetId(probe)
      await deleted(probe, `/pets/${id}`)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectError(404, 'not_found')
      ;(await probe.patch(`/pets/${id}`, { name: newName() })).expectError(404, 'not_found')
      ;(await probe.post('/store/orders', `{"petId":${id}}`)).expectError(404, 'pet_not_found')
    }),
  row('pets.delete.lists', 'A deleted pet is in no list, whatever the filter, search or order.')
    .from(response('deletePet', 204), writing('pets.delete.success', 'pets.list.search', 'pets.list.sort.newest'))
    .check(async (probe) => {
      const [word, categoryId] = [newWord(), absentId()]
      const fields = { name: `petstore verify ${word}`, categoryId: BigInt(categoryId), status: 'sold' }
      const { id } = await addPet(probe, fields)
      const own = [`categoryId=${categoryId}`, `search=${word}`]
      for (const query of own) (await probe.read(`/pets?limit=100&${query}`)).expectIds([id])
      await deleted(probe, `/pets/${id}`)
      for (const query of ['status=sold&sort=newest', 'sort=newest', ...own, 'status=sold', '']) {
        const list = await probe.read(`/pets?limit=100&${query}`)
        list.expect(!list.ids.includes(id), `no pet ${id}`, list.text)
      }
    }),
  row('pets.list.next.while-deleted', 'Following rel="next" lists each remaining pet once while pets are deleted.')
    .from(documented('GET /pets', 'Pages'), writing('pets.delete.success', 'pets.list.next.while-added'))
    .check(async (probe) => {
      for (const sort of ['oldest', 'newest'] as const) {
        const categoryId = BigInt(absentId())
        const ids: string[] = []
        for (let n = 0; n < 5; n++) ids.push((await addPet(probe, { categoryId })).id)
        const expected = sort === 'oldest' ? ids : ids.toReversed()
        const start = await probe.read(`/pets?categoryId=${categoryId}&limit=2&sort=${sort}`)
        for (const gone of [expected[1], expected[3]]) await deleted(probe, `/pets/${gone}`)
        const left = expected.filter((_, index) => index !== 3)
        start.expectIds(left, (await walk(probe, start, 'next')).flat())
      }
    }),
  row('pets.delete.ordered', 'A pet that was ever ordered cannot be deleted: 409 pet_has_orders.')
    .from(response('deletePet', 409), writing('pets.delete.success', ...REACHED_ALL))
    .check(async (probe) => {
      for (const status of ['pending', 'cancelled', 'completed', 'returned'] as const) {
        const at = `/pets/${(await orderThatIs(probe, status)).petId}`
        await expectRefused(probe, at, 409, 'pet_has_orders', () => probe.ask(`DELETE ${at}`))
      }
    }),
  row('pets.delete.replay', 'A replay of its create still returns the first response, and its id is not reused.')
    .from(operation('deletePet', 'description'), writing('pets.delete.success', 'pets.create.idempotency.replay'))
    .check(
      replaysAfter(CREATE, async (probe, id) => {
        await deleted(probe, `/pets/${id}`)
        const next = await addPet(probe)
        next.expect(BigInt(next.id) > BigInt(id), `an id above ${id}`, next.text)
      }),
    ),
  ...correctionRows({
    id: 'pets.delete',
    path: petPath,
    ask: (probe, path, options) => probe.ask(`DELETE ${path}`, options),
  }),
  row('events.pet-deleted', 'GET /store/events: A deletion is a pet.deleted event, without petStatus and pet.')
    .from(schema('Event', 'petStatus'), writing('pets.delete.success', 'events.list.order'))
    .check(async (probe) => {
      const id = await newPetId(probe)
      await deleted(probe, `/pets/${id}`)
      const answer = await eventsUntil(probe, `petId=${id}`, 'pet.deleted')
      const last = answer.objects().at(-1)
      answer.expectMember('petStatus', undefined, last).expectMember('pet', undefined, last)
    }),
]
