// Level `store`: what correcting and deleting a pet, and changing a pending order, promise.

import type { OperationId } from '../../contract/contract.ts'
import { type Json, stringifyJson } from '../../json/json.ts'
import { type Answer, number, textOf } from '../answer.ts'
import { absentId, addPet, newName } from '../fixtures.ts'
import { cancel, newPetId, orderThatIs, placed, readOrder } from '../orders.ts'
import { type Asking, JSON_TYPE, type Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { type Check, header, operation, refuses, rowsOf, schema, writing } from './rows.ts'

const row = rowsOf('store')
const DAY_MS = 86_400_000

/** `change` is a body, or fields of one. */
function correct(probe: Probe, path: string, change: Record<string, unknown> | string, asking: Asking = {}) {
  const body = typeof change === 'string' ? change : stringifyJson(change)
  return probe.ask(`PATCH ${path}`, { ...asking, headers: { ...JSON_TYPE, ...asking.headers }, body })
}

const read = async (probe: Probe, path: string) => (await probe.get(path)).expectStatus(200)

function expectFields(answer: Answer, fields: Record<string, Json>): void {
  for (const [name, value] of Object.entries(fields)) answer.expectMember(answer.object(), name, value)
}

/** The answer refuses, and what is at the path stays as it was. */
async function expectRefused(
  probe: Probe,
  path: string,
  ask: () => Promise<Answer>,
  status: number,
  code: string,
): Promise<void> {
  const before = await read(probe, path)
  ;(await ask()).expectError(status, code)
  const now = await read(probe, path)
  for (const [name, value] of before.object()) now.expectMember(now.object(), name, value)
}

interface Correction {
  id: string
  operation: OperationId
  /** Something that can be corrected. */
  path(probe: Probe): Promise<string>
  none(): string
  ask(probe: Probe, path: string, asking?: Asking): Promise<Answer>
  status: 200 | 204
}

const petPath = async (probe: Probe) => `/pets/${await newPetId(probe)}`
const orderPath = async (probe: Probe) => `/store/orders/${(await placed(probe)).id}`

const CORRECTIONS: readonly Correction[] = [
  {
    id: 'pets.update',
    operation: 'updatePet',
    path: petPath,
    none: () => `/pets/${absentId()}`,
    ask: (probe, path, asking) => correct(probe, path, { name: newName('corrected') }, asking),
    status: 200,
  },
  {
    id: 'pets.delete',
    operation: 'deletePet',
    path: petPath,
    none: () => `/pets/${absentId()}`,
    ask: (probe, path, asking) => probe.ask(`DELETE ${path}`, asking),
    status: 204,
  },
  {
    id: 'orders.update',
    operation: 'updateOrder',
    path: orderPath,
    none: () => `/store/orders/${absentId()}`,
    ask: (probe, path, asking) => correct(probe, path, { reference: newName('changed') }, asking),
    status: 200,
  },
]
const NO_IDS = ['9223372036854775808', '01', '1.0', 'x']

/** What all corrections have in common: an id, a key that may write, and preconditions. */
function correctionRows({ id, operation: of, path, none, ask, status }: Correction): PromiseRow[] {
  const done = writing(`${id}.success`)
  const [idSource, ifMatch, ifNoneMatch] = [0, 1, 2].map((index) => operation(of, 'parameters', index)) as [
    string,
    string,
    string,
  ]
  const conditional =
    (...cases: (readonly [(tag: string) => Record<string, string>, number])[]): Check =>
    async (probe) => {
      for (const [conditions, expected] of cases) {
        const at = await path(probe)
        const headers = conditions((await read(probe, at)).header('ETag') ?? '')
        if (expected === status) (await ask(probe, at, { headers })).expectStatus(status)
        else await expectRefused(probe, at, () => ask(probe, at, { headers }), expected, 'precondition_failed')
      }
    }
  return [
    row(
      `${id}.not-found`,
      'Where nothing has the id: 404 not_found, whatever the preconditions.',
      operation(of, 'responses', '404'),
      async (probe) => {
        for (const headers of [{}, { 'If-Match': '"x"' }])
          (await ask(probe, none(), { headers })).expectError(404, 'not_found')
      },
      done,
    ),
    row(
      `${id}.no-id`,
      'An id that is not an int64 in plain decimal: 404 not_found.',
      idSource,
      async (probe) => {
        const parent = none().replace(/[^/]+$/, '')
        for (const one of NO_IDS) (await ask(probe, parent + one)).expectError(404, 'not_found')
      },
      writing(`${id}.not-found`),
    ),
    row(
      `${id}.no-key`,
      'Without an API key: 401 missing_api_key, and nothing changes.',
      operation(of, 'responses', '401'),
      async (probe) => {
        const at = await path(probe)
        await expectRefused(probe, at, () => ask(probe, at, { key: 'none' }), 401, 'missing_api_key')
      },
      done,
    ),
    row(
      `${id}.read-only-key`,
      'With an API key that may only read: 403 read_only_key, and nothing changes.',
      operation(of, 'responses', '403'),
      async (probe) => {
        const at = await path(probe)
        await expectRefused(probe, at, () => ask(probe, at, { key: 'read-only' }), 403, 'read_only_key')
      },
      { needs: ['write', 'read-only key'], after: [`${id}.success`] },
    ),
    row(
      `${id}.if-match`,
      'If-Match with the tag, or *: it is done. With another or a weak tag: 412 precondition_failed, and nothing changes.',
      ifMatch,
      conditional(
        [(tag) => ({ 'If-Match': `"x", ${tag}` }), status],
        [() => ({ 'If-Match': '*' }), status],
        [() => ({ 'If-Match': '"x"' }), 412],
        [(tag) => ({ 'If-Match': `W/${tag}` }), 412],
      ),
      done,
    ),
    row(
      `${id}.if-none-match`,
      'If-None-Match with the tag, or *: 412 precondition_failed, and nothing changes.',
      ifNoneMatch,
      conditional(
        [(tag) => ({ 'If-None-Match': tag }), 412],
        [() => ({ 'If-None-Match': '*' }), 412],
        [() => ({ 'If-None-Match': '"x"' }), status],
      ),
      done,
    ),
    row(
      `${id}.together`,
      'Of many that have seen the same tag, one succeeds.',
      ifMatch,
      async (probe) => {
        const at = await path(probe)
        const headers = { 'If-Match': (await read(probe, at)).header('ETag') }
        const answers = await Promise.all(Array.from({ length: 6 }, () => ask(probe, at, { headers })))
        const [first, ...others] = answers.filter((answer) => answer.status === status)
        if (!first || others.length > 0)
          throw answers[0]?.broken(`one ${status}`, `${others.length + (first ? 1 : 0)} of them`)
      },
      writing(`${id}.if-match`),
    ),
    ...(status === 204 ? [] : bodyRows({ id, operation: of, path, ask })),
  ]
}

/** Of those with a body. */
function bodyRows({ id, operation: of, path, ask }: Pick<Correction, 'id' | 'operation' | 'path' | 'ask'>) {
  const invalid = of === 'updatePet' ? 'invalid_pet' : 'invalid_order'
  const done = writing(`${id}.success`)
  const bad = (code: string, ...bodies: string[]): Check => {
    return async (probe) => {
      const at = await path(probe)
      for (const body of bodies) await expectRefused(probe, at, () => correct(probe, at, body), 400, code)
    }
  }
  const source = operation(of, 'responses', '400')
  return [
    row(
      `${id}.nothing`,
      `A body that names nothing that can be changed: 400 ${invalid}.`,
      source,
      bad(invalid, '{}', '{"x":1}', '[]', '{"id":7}'),
      done,
    ),
    row(
      `${id}.json.broken`,
      'A body that is not JSON, or has the same name twice: 400 malformed_json.',
      source,
      bad('malformed_json', '{"name":', '{"x":1,"x":1}', ''),
      done,
    ),
    row(
      `${id}.media-type.other`,
      'Another media type: 415 unsupported_media_type.',
      operation(of, 'responses', '415'),
      async (probe) => {
        const at = await path(probe)
        for (const type of ['text/plain', 'application/merge-patch+json']) {
          const asking = { headers: { 'Content-Type': type } }
          await expectRefused(probe, at, () => ask(probe, at, asking), 415, 'unsupported_media_type')
        }
      },
      done,
    ),
    row(
      `${id}.size.too-large`,
      'A body over 64 KiB: 413 body_too_large.',
      operation(of, 'responses', '413'),
      refuses(async (probe) => correct(probe, await path(probe), { x: 'x'.repeat(65_536) }), 413, 'body_too_large'),
      done,
    ),
    row(
      `${id}.etag`,
      'The answer has the tag that GET shows.',
      header('ETag'),
      async (probe) => {
        const at = await path(probe)
        const tag = (await ask(probe, at)).expectStatus(200).header('ETag')
        ;(await read(probe, at)).expectHeader('ETag', tag)
      },
      writing(`${id}.success`),
    ),
  ]
}

const UPDATED = writing('pets.update.success')

const petUpdates = [
  row(
    'pets.update.success',
    'PATCH /pets/{petId} answers 200 with the pet as it is then, and so does GET.',
    operation('updatePet', 'responses', '200'),
    async (probe) => {
      const at = await petPath(probe)
      const name = newName('renamed')
      const answer = (await correct(probe, at, { name })).expectStatus(200)
      const before = { name, categoryId: number(7), status: 'available' }
      expectFields(answer, before)
      expectFields(await read(probe, at), before)
    },
    writing('pets.create.readable', 'pets.get.success'),
  ),
  row(
    'pets.update.name',
    'A name obeys the rules of a new pet: otherwise 400 invalid_pet, and nothing changes.',
    schema('PetChange', 'name'),
    async (probe) => {
      const at = await petPath(probe)
      for (const name of ['', ' \t', 'a\u0000b', 'a'.repeat(256), null, 7]) {
        await expectRefused(probe, at, () => correct(probe, at, stringifyJson({ name })), 400, 'invalid_pet')
      }
      const name = `${newName()} \u{1F436} "é"`
      expectFields((await correct(probe, at, { name })).expectStatus(200), { name })
    },
    UPDATED,
  ),
  row(
    'pets.update.category-id',
    'A categoryId is any int64, exactly; anything else is 400 invalid_pet.',
    schema('PetChange', 'categoryId'),
    async (probe) => {
      const at = await petPath(probe)
      for (const id of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
        ;(await correct(probe, at, `{"categoryId":${id}}`)).expectStatus(200)
        expectFields(await read(probe, at), { categoryId: number(id) })
      }
      for (const id of ['9223372036854775808', '1.5', '"7"', 'null']) {
        await expectRefused(probe, at, () => correct(probe, at, `{"categoryId":${id}}`), 400, 'invalid_pet')
      }
    },
    UPDATED,
  ),
  row(
    'pets.update.status',
    'A pet that was added as pending or sold can be set to available; no pet can be set to pending or sold: 400 invalid_pet.',
    schema('PetChange', 'status'),
    async (probe) => {
      for (const status of ['pending', 'sold']) {
        const at = `/pets/${textOf((await addPet(probe, { status })).object().get('id'))}`
        expectFields((await correct(probe, at, { status: 'available' })).expectStatus(200), { status: 'available' })
        await expectRefused(probe, at, () => correct(probe, at, { status }), 400, 'invalid_pet')
      }
    },
    UPDATED,
  ),
  row(
    'pets.update.held',
    'A pet that an order holds is not set to available: 409 pet_held, also before a false precondition.',
    operation('updatePet', 'responses', '409'),
    async (probe) => {
      for (const status of ['pending', 'completed'] as const) {
        const { petId } = await orderThatIs(probe, status)
        for (const headers of [{}, { 'If-Match': '"x"' }]) {
          const change = { status: 'available', name: newName() }
          const at = `/pets/${petId}`
          await expectRefused(probe, at, () => correct(probe, at, change, { headers }), 409, 'pet_held')
        }
      }
    },
    writing('pets.update.success', 'orders.complete.success'),
  ),
  row(
    'pets.update.same',
    'A pet that was read can be sent back: 200, and nothing changes.',
    operation('updatePet', 'description'),
    async (probe) => {
      const { petId } = await orderThatIs(probe, 'pending')
      const before = await read(probe, `/pets/${petId}`)
      const now = (await correct(probe, `/pets/${petId}`, before.text)).expectStatus(200)
      now.expectHeader('ETag', before.header('ETag'))
    },
    UPDATED,
  ),
  row(
    'pets.update.orders',
    'The orders of the pet show its new name, and their tags change.',
    operation('updatePet', 'description'),
    async (probe) => {
      const { id, petId } = await placed(probe)
      const tag = (await readOrder(probe, id)).header('ETag')
      const name = newName('renamed')
      ;(await correct(probe, `/pets/${petId}`, { name })).expectStatus(200)
      const now = await readOrder(probe, id)
      expectFields(now, { petName: name })
      if (now.header('ETag') === tag) throw now.broken('another ETag', `ETag: ${tag} again`)
    },
    UPDATED,
  ),
  row(
    'pets.update.not-deprecated',
    'A correction is not deprecated, although fetching one pet is.',
    operation('updatePet', 'responses', '200'),
    async (probe) => {
      const answer = (await correct(probe, await petPath(probe), { name: newName() })).expectStatus(200)
      for (const name of ['Deprecation', 'Sunset']) answer.expectHeader(name, undefined)
    },
    UPDATED,
  ),
]

const DELETED = writing('pets.delete.success')

const petDeletions = [
  row(
    'pets.delete.success',
    'DELETE /pets/{petId} answers 204, and the pet is gone.',
    operation('deletePet', 'responses', '204'),
    async (probe) => {
      const at = await petPath(probe)
      ;(await probe.ask(`DELETE ${at}`)).expectStatus(204).expectNoBody()
      ;(await probe.get(at)).expectError(404, 'not_found')
    },
    writing('pets.create.readable', 'pets.get.success'),
  ),
  row(
    'pets.delete.again',
    'What is deleted is nowhere: deleting, correcting and ordering it are 404.',
    operation('deletePet', 'responses', '404'),
    async (probe) => {
      const id = await newPetId(probe)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectError(404, 'not_found')
      ;(await correct(probe, `/pets/${id}`, { name: newName() })).expectError(404, 'not_found')
      ;(await probe.post('/store/orders', `{"petId":${id}}`)).expectError(404, 'pet_not_found')
    },
    DELETED,
  ),
  row(
    'pets.delete.ordered',
    'A pet for which an order was placed is not deleted: 409 pet_has_orders, also after the order has ended.',
    operation('deletePet', 'responses', '409'),
    async (probe) => {
      for (const status of ['pending', 'cancelled', 'completed', 'returned'] as const) {
        const at = `/pets/${(await orderThatIs(probe, status)).petId}`
        await expectRefused(probe, at, () => probe.ask(`DELETE ${at}`), 409, 'pet_has_orders')
      }
    },
    writing('pets.delete.success', 'orders.place.success'),
  ),
  row(
    'pets.delete.replay',
    'The replay of its create still gives the first answer, and its id is not used again.',
    operation('deletePet', 'description'),
    async (probe) => {
      const headers = { 'Idempotency-Key': `"${crypto.randomUUID()}"` }
      const body = stringifyJson({ name: newName(), categoryId: 7n })
      const first = (await probe.post('/pets', body, { headers })).expectStatus(201)
      const id = textOf(first.object().get('id'))
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      const again = (await probe.post('/pets', body, { headers })).expectStatus(201)
      if (again.text !== first.text) throw again.broken(`the first answer: ${first.text}`, again.text)
      const next = await addPet(probe)
      if (BigInt(textOf(next.object().get('id'))) <= BigInt(id)) throw next.broken(`an id above ${id}`, next.text)
    },
    writing('pets.delete.success', 'pets.create.idempotency.replay'),
  ),
]

const CHANGED = writing('orders.update.success')

const orderUpdates = [
  row(
    'orders.update.success',
    'PATCH /store/orders/{orderId} answers 200 with the order as it is then, and so does GET.',
    operation('updateOrder', 'responses', '200'),
    async (probe) => {
      const at = await orderPath(probe)
      const before = await read(probe, at)
      const reference = newName('changed')
      const answer = (await correct(probe, at, { reference })).expectStatus(200)
      const now = await read(probe, at)
      for (const [name, value] of before.object()) {
        if (name === 'changedAt') continue
        now.expectMember(now.object(), name, name === 'reference' ? reference : value)
      }
      if (answer.text !== now.text) throw answer.broken(now.text, answer.text)
    },
    writing('orders.place.success', 'orders.get.success'),
  ),
  row(
    'orders.update.reference',
    'A reference obeys the rules of a new order, and null removes it.',
    schema('OrderChange', 'reference'),
    async (probe) => {
      const at = await orderPath(probe)
      for (const reference of ['', ' ', 'a'.repeat(256), 7]) {
        await expectRefused(probe, at, () => correct(probe, at, { reference }), 400, 'invalid_order')
      }
      const answer = (await correct(probe, at, '{"reference":null}')).expectStatus(200)
      if (answer.object().has('reference')) throw answer.broken('no reference', answer.text)
    },
    CHANGED,
  ),
  row(
    'orders.update.expires-at',
    'expiresAt is in the future and at most 366 days ahead, otherwise 400 invalid_order; null removes it.',
    schema('OrderChange', 'expiresAt'),
    async (probe) => {
      const at = await orderPath(probe)
      const from = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
      for (const expiresAt of [from(-1), from(367), 'soon', 7]) {
        await expectRefused(probe, at, () => correct(probe, at, { expiresAt }), 400, 'invalid_order')
      }
      const expiresAt = from(1)
      expectFields((await correct(probe, at, { expiresAt })).expectStatus(200), { expiresAt })
      const answer = (await correct(probe, at, '{"expiresAt":null}')).expectStatus(200)
      if (answer.object().has('expiresAt')) throw answer.broken('no expiresAt', answer.text)
    },
    CHANGED,
  ),
  row(
    'orders.update.same',
    'What is equal already changes nothing, changedAt neither.',
    operation('updateOrder', 'description'),
    async (probe) => {
      const at = await orderPath(probe)
      const before = await read(probe, at)
      const { reference = null } = Object.fromEntries(before.object())
      ;(await correct(probe, at, stringifyJson({ reference, expiresAt: null })))
        .expectStatus(200)
        .expectHeader('ETag', before.header('ETag'))
    },
    CHANGED,
  ),
  row(
    'orders.update.ended',
    'An order that is not pending: 409 order_not_pending, also before a false precondition.',
    operation('updateOrder', 'responses', '409'),
    async (probe) => {
      for (const status of ['cancelled', 'completed', 'returned'] as const) {
        const at = `/store/orders/${(await orderThatIs(probe, status)).id}`
        for (const headers of [{}, { 'If-Match': '"x"' }]) {
          const ask = () => correct(probe, at, { reference: newName() }, { headers })
          await expectRefused(probe, at, ask, 409, 'order_not_pending')
        }
      }
    },
    CHANGED,
  ),
]

/** The events of `path`, the last one of which must be of this type. */
async function lastEvent(probe: Probe, query: string, type: string): Promise<Answer> {
  const answer = await read(probe, `/store/events?${query}&limit=100`)
  const last = answer.objects().at(-1)
  if (last?.get('type') !== type) throw answer.broken(`${type} as the last event`, answer.text)
  return answer
}

const events = [
  row(
    'events.pet-changed',
    'A correction is one event, pet.changed, with the pet right after it; pet.added still shows it as it was added.',
    schema('Event', 'pet'),
    async (probe) => {
      const first = (await addPet(probe)).object()
      const id = textOf(first.get('id'))
      const changed = (await correct(probe, `/pets/${id}`, { name: newName() })).expectStatus(200)
      ;(await correct(probe, `/pets/${id}`, changed.text)).expectStatus(200)
      const answer = await lastEvent(probe, `petId=${id}`, 'pet.changed')
      const [added, event, ...others] = answer.objects()
      if (!added || !event || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember(added, 'pet', first).expectMember(event, 'pet', changed.object())
    },
    writing('pets.update.success', 'events.list.success'),
  ),
  row(
    'events.pet-deleted',
    'A deletion is an event, pet.deleted, without petStatus and pet.',
    schema('Event', 'petStatus'),
    async (probe) => {
      const id = await newPetId(probe)
      ;(await probe.ask(`DELETE /pets/${id}`)).expectStatus(204)
      const answer = await lastEvent(probe, `petId=${id}`, 'pet.deleted')
      const last = answer.objects().at(-1)
      if (last?.has('petStatus') || last?.has('pet')) throw answer.broken('neither petStatus nor pet', answer.text)
    },
    writing('pets.delete.success', 'events.list.success'),
  ),
  row(
    'events.order-changed',
    'A change of an order is one event, order.changed.',
    schema('Event', 'orderStatus'),
    async (probe) => {
      const { id } = await placed(probe)
      const changed = (await correct(probe, `/store/orders/${id}`, { reference: newName() })).expectStatus(200)
      ;(await correct(probe, `/store/orders/${id}`, changed.text)).expectStatus(200)
      const answer = await lastEvent(probe, `orderId=${id}`, 'order.changed')
      const [, last, ...others] = answer.objects()
      if (!last || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember(last, 'orderStatus', 'pending')
      answer.expectMember(last, 'at', changed.object().get('changedAt') ?? null)
      ;(await cancel(probe, id)).expectStatus(204)
    },
    writing('orders.update.success', 'events.list.success'),
  ),
]

export const correctionPromises: readonly PromiseRow[] = [
  ...petUpdates,
  ...petDeletions,
  ...orderUpdates,
  ...CORRECTIONS.flatMap(correctionRows),
  ...events,
]
