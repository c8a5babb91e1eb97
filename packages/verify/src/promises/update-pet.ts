// Level `store`: what correcting a pet promises.

import { stringifyJson } from '../../../contract/src/json.ts'
import { number, textOf } from '../answer.ts'
import { correct, expectFields, expectRefused, lastEvent, read } from '../corrections.ts'
import { absentId, addPet, newName, newWord, petBody } from '../fixtures.ts'
import { expectReplay, newKey, newPetId, orderThatIs, placed, readOrder, under } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { correctionRows } from './shared/correction-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const UPDATED = writing('pets.update.success')
const petPath = async (probe: Probe) => `/pets/${await newPetId(probe)}`

export const updatePetPromises: readonly PromiseRow[] = [
  row('pets.update.success', 'PATCH /pets/{petId} answers 200 with the pet as it is then, and so does GET.')
    .from(response('updatePet', 200), writing('pets.create.readable', 'pets.get.success'))
    .check(async (probe) => {
      const at = `/pets/${await newPetId(probe, { categoryId: 7n })}`
      const name = newName('renamed')
      const answer = (await correct(probe, at, { name })).expectStatus(200)
      const before = { name, categoryId: number(7), status: 'available' }
      expectFields(answer, before)
      expectFields(await read(probe, at), before)
    }),
  row('pets.update.name', 'A name obeys the rules of a new pet: otherwise 400 invalid_pet, and nothing changes.')
    .from(schema('PetChange', 'name'), UPDATED)
    .check(async (probe) => {
      const at = await petPath(probe)
      for (const name of ['', ' \t', 'a\u0000b', 'a'.repeat(256), null, 7, true, ['Rex'], {}]) {
        await expectRefused(probe, at, () => correct(probe, at, stringifyJson({ name })), 400, 'invalid_pet')
      }
      const name = ` ${newName()}  \u{1F436} "é" e\u0301\u200b `
      expectFields((await correct(probe, at, { name })).expectStatus(200), { name })
      expectFields(await read(probe, at), { name })
    }),
  row('pets.update.category-id', 'A categoryId is any int64, exactly; anything else is 400 invalid_pet.')
    .from(schema('PetChange', 'categoryId'), UPDATED)
    .check(async (probe) => {
      const at = await petPath(probe)
      for (const id of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
        ;(await correct(probe, at, `{"categoryId":${id}}`)).expectStatus(200)
        expectFields(await read(probe, at), { categoryId: number(id) })
      }
      for (const id of ['9223372036854775808', '1.5', '"7"', '""', 'null', 'true', '[7]', '{}']) {
        await expectRefused(probe, at, () => correct(probe, at, `{"categoryId":${id}}`), 400, 'invalid_pet')
      }
    }),
  row(
    'pets.update.status',
    'A pet that was added as pending or sold can be set to available; no pet can be set to pending or sold: 400 invalid_pet.',
  )
    .from(schema('PetChange', 'status'), UPDATED)
    .check(async (probe) => {
      for (const status of ['pending', 'sold']) {
        const at = `/pets/${textOf((await addPet(probe, { status })).object().get('id'))}`
        expectFields((await correct(probe, at, { status: 'available' })).expectStatus(200), { status: 'available' })
        await expectRefused(probe, at, () => correct(probe, at, { status }), 400, 'invalid_pet')
      }
    }),
  row(
    'pets.update.held',
    'A pet that an order holds is not set to available: 409 pet_held, also before a false precondition.',
  )
    .from(response('updatePet', 409), writing('pets.update.success', 'orders.complete.success'))
    .check(async (probe) => {
      for (const status of ['pending', 'completed'] as const) {
        const { petId } = await orderThatIs(probe, status)
        for (const headers of [{}, { 'If-Match': '"x"' }]) {
          const change = { status: 'available', name: newName() }
          const at = `/pets/${petId}`
          await expectRefused(probe, at, () => correct(probe, at, change, { headers }), 409, 'pet_held')
        }
      }
    }),
  row('pets.update.same', 'A pet that was read can be sent back: 200, and nothing changes.')
    .from(operation('updatePet', 'description'), writing('pets.update.success', 'pets.get.etag'))
    .check(async (probe) => {
      const { petId } = await orderThatIs(probe, 'pending')
      const before = await read(probe, `/pets/${petId}`)
      const now = (await correct(probe, `/pets/${petId}`, before.text)).expectStatus(200)
      now.expectHeader('ETag', before.header('ETag'))
    }),
  row('pets.update.orders', 'The orders of the pet show its new name, and their tags change.')
    .from(operation('updatePet', 'description'), UPDATED)
    .check(async (probe) => {
      const { id, petId } = await placed(probe)
      const tag = (await readOrder(probe, id)).header('ETag')
      const name = newName('renamed')
      ;(await correct(probe, `/pets/${petId}`, { name })).expectStatus(200)
      const now = await readOrder(probe, id)
      expectFields(now, { petName: name })
      if (now.header('ETag') === tag) throw now.broken('another ETag', `ETag: ${tag} again`)
    }),
  row('pets.update.lists', 'Filters and search show the pet by what it is now, and no more by what it was.')
    .from(
      operation('updatePet', 'description'),
      writing('pets.update.success', 'pets.update.status', 'pets.list.search', 'pets.list.status.sold'),
    )
    .check(async (probe) => {
      const [old, now] = [newWord(), newWord()]
      const [before, after] = [absentId(), absentId()]
      const fields = { name: `petstore verify ${old}`, categoryId: BigInt(before), status: 'sold' }
      const id = textOf((await addPet(probe, fields)).object().get('id'))
      const lists = [
        [`search=${old}`, `search=${now}`],
        [`categoryId=${before}`, `categoryId=${after}`],
        [`status=sold&sort=newest`, `status=available&sort=newest`],
      ] as const
      const shows = async (query: string, expected: boolean) => {
        const list = await read(probe, `/pets?${query}&limit=100`)
        const ids = list.objects().map((pet) => textOf(pet.get('id')))
        if (ids.includes(id) !== expected)
          throw list.broken(`pet ${id} ${expected ? 'in' : 'not in'} the list`, list.text)
      }
      for (const [query] of lists) await shows(query, true)
      const change = { name: `petstore verify ${now}`, categoryId: BigInt(after), status: 'available' }
      ;(await correct(probe, `/pets/${id}`, change)).expectStatus(200)
      for (const [was, is] of lists) {
        await shows(was, false)
        await shows(is, true)
      }
    }),
  row('pets.update.replay', 'The replay of its create gives the first answer, also when the pet was corrected.')
    .from(operation('updatePet', 'description'), writing('pets.update.success', 'pets.create.idempotency.replay'))
    .check(async (probe) => {
      const [body, options] = [petBody(), under(newKey())]
      const first = (await probe.post('/pets', body, options)).expectStatus(201)
      const id = textOf(first.object().get('id'))
      ;(await correct(probe, `/pets/${id}`, { name: newName('renamed') })).expectStatus(200)
      expectReplay(await probe.post('/pets', body, options), first)
    }),
  row('pets.update.not-deprecated', 'A correction is not deprecated, although fetching one pet is.')
    .from(response('updatePet', 200), UPDATED)
    .check(async (probe) => {
      const answer = (await correct(probe, await petPath(probe), { name: newName() })).expectStatus(200)
      for (const name of ['Deprecation', 'Sunset']) answer.expectHeader(name, undefined)
    }),
  ...correctionRows({
    id: 'pets.update',
    operation: 'updatePet',
    path: petPath,
    folder: '/pets',
    ask: (probe, path, options) => correct(probe, path, { name: newName('corrected') }, options),
    status: 200,
    same: ({ text }) => text,
    tag: 'pets.get.etag',
  }),
  row(
    'events.pet-changed',
    'A correction is one event, pet.changed, with the pet right after it; pet.added still shows it as it was added.',
  )
    .from(schema('Event', 'pet'), writing('pets.update.success', 'events.list.success'))
    .check(async (probe) => {
      const first = (await addPet(probe)).object()
      const id = textOf(first.get('id'))
      const changed = (await correct(probe, `/pets/${id}`, { name: newName() })).expectStatus(200)
      ;(await correct(probe, `/pets/${id}`, changed.text)).expectStatus(200)
      const answer = await lastEvent(probe, `petId=${id}`, 'pet.changed')
      const [added, event, ...others] = answer.objects()
      if (!added || !event || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember(added, 'pet', first).expectMember(event, 'pet', changed.object())
    }),
]
