// Level `store`: what deleting a pet promises.

import { stringifyJson } from '../../../contract/src/json.ts'
import { textOf } from '../answer.ts'
import { correct, expectRefused, lastEvent, read } from '../corrections.ts'
import { absentId, addPet, newName, newWord } from '../fixtures.ts'
import { newPetId, orderThatIs, REACHED } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { correctionRows } from './shared/correction-rows.ts'
import { walk } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const DELETED = writing('pets.delete.success')
const petPath = async (probe: Probe) => `/pets/${await newPetId(probe)}`

export const deletePetPromises: readonly PromiseRow[] = [
  row('pets.delete.success', 'DELETE /pets/{petId} answers 204, and the pet is gone.')
    .from(response('deletePet', 204), writing('pets.create.readable', 'pets.get.success'))
    .check(async (probe) => {
      const at = await petPath(probe)
      ;(await probe.ask(`DELETE ${at}`)).expectStatus(204).expectNoBody()
      ;(await probe.get(at)).expectError(404, 'not_found')
    }),
  row('pets.delete.again', 'What is deleted is nowhere: deleting, correcting and ordering it are 404.')
    .from(response('deletePet', 404), DELETED)
    .check(async (probe) => {
      const id = await newPetId(probe)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectError(404, 'not_found')
      ;(await correct(probe, `/pets/${id}`, { name: newName() })).expectError(404, 'not_found')
      ;(await probe.post('/store/orders', `{"petId":${id}}`)).expectError(404, 'pet_not_found')
    }),
  row(
    'pets.delete.lists',
    'A deleted pet is in no list: of its status, of its category, of the newest, or found by its name.',
  )
    .from(response('deletePet', 204), writing('pets.delete.success', 'pets.list.search', 'pets.list.sort.newest'))
    .check(async (probe) => {
      const [word, categoryId] = [newWord(), absentId()]
      const fields = { name: `petstore verify ${word}`, categoryId: BigInt(categoryId), status: 'sold' }
      const id = textOf((await addPet(probe, fields)).object().get('id'))
      const lists = [
        'status=sold&sort=newest',
        'sort=newest',
        `categoryId=${categoryId}`,
        `search=${word}`,
        'status=sold',
        '',
      ]
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      for (const query of lists) {
        const list = await read(probe, `/pets?limit=100&${query}`)
        const ids = list.objects().map((pet) => textOf(pet.get('id')))
        if (ids.includes(id)) throw list.broken(`no pet ${id}`, list.text)
      }
    }),
  row(
    'pets.list.next.while-deleted',
    'Who follows rel="next" sees each pet once that is not deleted meanwhile, also behind one that is.',
  )
    .from(documented('GET /pets', 'Pages'), writing('pets.delete.success', 'pets.list.next.while-added'))
    .check(async (probe) => {
      for (const sort of ['oldest', 'newest'] as const) {
        const categoryId = BigInt(absentId())
        const add = async () => textOf((await addPet(probe, { categoryId })).object().get('id'))
        const ids = [await add(), await add(), await add(), await add(), await add()]
        const expected = sort === 'oldest' ? ids : ids.toReversed()
        const start = await read(probe, `/pets?categoryId=${categoryId}&limit=2&sort=${sort}`)
        for (const gone of [expected[1], expected[3]]) (await probe.ask(`DELETE /pets/${gone}`)).expectStatus(204)
        const seen = (await walk(probe, start, 'next')).flat()
        const left = [0, 1, 2, 4].map((index) => expected[index])
        if (seen.join() !== left.join()) throw start.broken(`along the links: ids ${left}`, `ids ${seen}`)
      }
    }),
  row(
    'pets.delete.ordered',
    'A pet for which an order was placed is not deleted: 409 pet_has_orders, also after the order has ended.',
  )
    .from(
      response('deletePet', 409),
      writing('pets.delete.success', 'orders.place.success', ...Object.values(REACHED).flat()),
    )
    .check(async (probe) => {
      for (const status of ['pending', 'cancelled', 'completed', 'returned'] as const) {
        const at = `/pets/${(await orderThatIs(probe, status)).petId}`
        await expectRefused(probe, at, () => probe.ask(`DELETE ${at}`), 409, 'pet_has_orders')
      }
    }),
  row('pets.delete.replay', 'The replay of its create still gives the first answer, and its id is not used again.')
    .from(operation('deletePet', 'description'), writing('pets.delete.success', 'pets.create.idempotency.replay'))
    .check(async (probe) => {
      const headers = { 'Idempotency-Key': `"${crypto.randomUUID()}"` }
      const body = stringifyJson({ name: newName(), categoryId: 7n })
      const first = (await probe.post('/pets', body, { headers })).expectStatus(201)
      const id = textOf(first.object().get('id'))
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      const again = (await probe.post('/pets', body, { headers })).expectStatus(201)
      if (again.text !== first.text) throw again.broken(`the first answer: ${first.text}`, again.text)
      const next = await addPet(probe)
      if (BigInt(textOf(next.object().get('id'))) <= BigInt(id)) throw next.broken(`an id above ${id}`, next.text)
    }),
  ...correctionRows({
    id: 'pets.delete',
    operation: 'deletePet',
    path: petPath,
    folder: '/pets',
    ask: (probe, path, options) => probe.ask(`DELETE ${path}`, options),
    status: 204,
    tag: 'pets.get.etag',
  }),
  row('events.pet-deleted', 'A deletion is an event, pet.deleted, without petStatus and pet.')
    .from(schema('Event', 'petStatus'), writing('pets.delete.success', 'events.list.success'))
    .check(async (probe) => {
      const id = await newPetId(probe)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      const answer = await lastEvent(probe, `petId=${id}`, 'pet.deleted')
      const last = answer.objects().at(-1)
      if (last?.has('petStatus') || last?.has('pet')) throw answer.broken('neither petStatus nor pet', answer.text)
    }),
]
