// Level `store`: deleting a pet.

import { absentId, addPet, newName, newWord, petBody } from '../fixtures.ts'
import { newPetId, orderThatIs, REACHED } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { correctionRows, eventsUntil, expectRefused } from './shared/correction-rows.ts'
import { expectReplay, newKey, under } from './shared/idempotency.ts'
import { walk } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, operation, response, rowsOf, schema, writing } from './shared/rows.ts'
import { petPath } from './update-pet.ts'

const row = rowsOf('store')
const DELETED = writing('pets.delete.success')
const deleted = async (probe: Probe, path: string) =>
  (await probe.ask(`DELETE ${path}`)).expectStatus(204).expectText('')

export const deletePetPromises: readonly PromiseRow[] = [
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
    .from(
      response('deletePet', 409),
      writing('pets.delete.success', 'orders.place.success', ...Object.values(REACHED).flat()),
    )
    .check(async (probe) => {
      for (const status of ['pending', 'cancelled', 'completed', 'returned'] as const) {
        const at = `/pets/${(await orderThatIs(probe, status)).petId}`
        await expectRefused(probe, at, 409, 'pet_has_orders', () => probe.ask(`DELETE ${at}`))
      }
    }),
  row('pets.delete.replay', 'A replay of its create still returns the first response, and its id is not reused.')
    .from(operation('deletePet', 'description'), writing('pets.delete.success', 'pets.create.idempotency.replay'))
    .check(async (probe) => {
      const [body, options] = [petBody(), under(newKey())]
      const first = (await probe.post('/pets', body, options)).expectStatus(201)
      await deleted(probe, `/pets/${first.id}`)
      expectReplay(await probe.post('/pets', body, options), first)
      const next = await addPet(probe)
      next.expect(BigInt(next.id) > BigInt(first.id), `an id above ${first.id}`, next.text)
    }),
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
