// Level `store`: how orders are completed, cancelled and returned, and what that does to their pets.

import type { OperationId } from '../../../contract/src/contract.ts'
import { type Answer, textOf } from '../answer.ts'
import {
  cancel,
  complete,
  expectInstant,
  expectPet,
  expectUnchanged,
  giveBack,
  orderThatIs,
  placed,
  REACHED,
  type Reachable,
  readOrder,
} from '../orders.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { idRows } from './shared/correction-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, header, operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')

interface Change {
  id: string
  operation: OperationId
  ask(probe: Probe, id: string, options?: RequestOptions): Promise<Answer>
  status: 200 | 204
  from: Reachable
  to: Reachable
  pet: string
  code: 'order_not_pending' | 'order_not_completed'
  /** The orders that it refuses. */
  conflicts: readonly Reachable[]
}

const CHANGES: readonly Change[] = [
  {
    id: 'orders.complete',
    operation: 'completeOrder',
    ask: complete,
    status: 200,
    from: 'pending',
    to: 'completed',
    pet: 'sold',
    code: 'order_not_pending',
    conflicts: ['cancelled', 'returned'],
  },
  {
    id: 'orders.cancel',
    operation: 'cancelOrder',
    ask: cancel,
    status: 204,
    from: 'pending',
    to: 'cancelled',
    pet: 'available',
    code: 'order_not_pending',
    conflicts: ['completed', 'returned'],
  },
  {
    id: 'orders.return',
    operation: 'returnOrder',
    ask: giveBack,
    status: 200,
    from: 'completed',
    to: 'returned',
    pet: 'available',
    code: 'order_not_completed',
    conflicts: ['pending', 'cancelled'],
  },
]

function changeRows(change: Change): PromiseRow[] {
  return [...moveRows(change), ...refusalRows(change), ...preconditionRows(change)]
}

async function expectStatus(probe: Probe, order: string, expected: string): Promise<Answer> {
  const now = await readOrder(probe, order)
  return now.expectMember(now.object(), 'status', expected)
}

function moveRows({ id, operation: of, ask, status, from, to, pet }: Change): PromiseRow[] {
  return [
    row(`${id}.success`, `An order that is ${from} becomes ${to}: ${status}.`)
      .from(
        response(of, status),
        writing('orders.place.success', ...(from === 'completed' ? ['orders.complete.success'] : [])),
      )
      .check(async (probe) => {
        const order = await orderThatIs(probe, from)
        const answer = (await ask(probe, order.id)).expectStatus(status)
        const now = await expectStatus(probe, order.id, to)
        if (answer.text !== (status === 204 ? '' : now.text))
          throw answer.broken(status === 204 ? 'no body' : now.text, answer.text)
      }),
    row(`${id}.pet`, `The pet of the order is then ${pet}.`)
      .from(operation(of, 'description'), writing(`${id}.success`, 'pets.get.status'))
      .check(async (probe) => {
        const order = await orderThatIs(probe, from)
        ;(await ask(probe, order.id)).expectStatus(status)
        await expectPet(probe, order.petId, pet)
      }),
    row(`${id}.changed-at`, 'changedAt says when, and nothing else of the order changes.')
      .from(schema('Order', 'changedAt'), writing(`${id}.success`))
      .check(async (probe) => {
        const order = await orderThatIs(probe, from)
        const before = await readOrder(probe, order.id)
        ;(await ask(probe, order.id)).expectStatus(status)
        const now = await readOrder(probe, order.id)
        for (const [name, value] of before.object())
          if (name !== 'status' && name !== 'changedAt') now.expectMember(now.object(), name, value)
        if (expectInstant(now, now.object(), 'changedAt') < expectInstant(before, before.object(), 'changedAt'))
          throw now.broken('a later changedAt', now.text)
      }),
  ]
}

function refusalRows({ id, operation: of, ask, status, from, to, code, conflicts }: Change): PromiseRow[] {
  const done = writing(`${id}.success`)
  return [
    row(`${id}.again`, `An order that is ${to} already: ${status} again, and nothing changes.`)
      .from(operation(of, 'description'), done)
      .check(async (probe) => {
        const before = await readOrder(probe, (await orderThatIs(probe, to)).id)
        ;(await ask(probe, textOf(before.object().get('id')))).expectStatus(status)
        await expectUnchanged(probe, before)
      }),
    ...conflicts.map((state) =>
      row(`${id}.${state}`, `An order that is ${state}: 409 ${code}, and nothing changes.`)
        .from(response(of, 409), writing(`${id}.success`, ...REACHED[state]))
        .check(async (probe) => {
          const before = await readOrder(probe, (await orderThatIs(probe, state)).id)
          ;(await ask(probe, textOf(before.object().get('id')))).expectError(409, code)
          await expectUnchanged(probe, before)
        }),
    ),
    ...idRows(id, of, ask),
    ...(status === 200
      ? [
          row(`${id}.etag`, 'The answer has the tag that GET shows, also when it is a repeat.')
            .from(header('ETag'), writing(`${id}.success`, 'orders.get.etag'))
            .check(async (probe) => {
              const order = await orderThatIs(probe, from)
              const answers = [await ask(probe, order.id), await ask(probe, order.id)]
              const tag = (await readOrder(probe, order.id)).header('ETag')
              for (const answer of answers) answer.expectStatus(200).expectHeader('ETag', tag)
            }),
          row(`${id}.body`, 'A body is ignored, whatever its media type.')
            .from(documented('The store area', 'Complete and return'), done)
            .check(async (probe) => {
              const order = await orderThatIs(probe, from)
              for (const type of ['application/json', 'text/plain']) {
                ;(await ask(probe, order.id, { headers: { 'Content-Type': type }, body: '{"x":' })).expectStatus(200)
              }
            }),
        ]
      : []),
  ]
}

function preconditionRows({ id, operation: of, ask, status, from, to, code, conflicts }: Change): PromiseRow[] {
  /** An order of each status, requested under these conditions; the response, and the status after it. */
  const conditional = (...cases: (readonly [Reachable, (tag: string) => Record<string, string>, number])[]): Check => {
    return async (probe) => {
      for (const [state, conditions, expected] of cases) {
        const order = await orderThatIs(probe, state)
        const tag = (await readOrder(probe, order.id)).header('ETag') ?? ''
        const answer = await ask(probe, order.id, { headers: conditions(tag) })
        answer.expectError(expected, { 412: 'precondition_failed', 409: code }[expected])
        await expectStatus(probe, order.id, expected === status ? to : state)
      }
    }
  }
  const match = (make: (tag: string) => string) => (tag: string) => ({ 'If-Match': make(tag) })
  const none = (make: (tag: string) => string) => (tag: string) => ({ 'If-None-Match': make(tag) })
  const other = match(() => '"x"')
  const [ifMatch, ifNoneMatch] = [1, 2].map((index) => operation(of, 'parameters', index)) as [string, string]
  const tagged = writing(`${id}.success`, 'orders.get.etag')
  return [
    row(`${id}.if-match`, 'If-Match with the tag, or *: it is done.')
      .from(ifMatch, tagged)
      .check(conditional([from, match((tag) => `"x", ${tag}`), status], [from, match(() => '*'), status])),
    row(`${id}.if-match.other`, 'If-Match with another or a weak tag: 412 precondition_failed, and nothing changes.')
      .from(ifMatch, tagged)
      .check(conditional([from, other, 412], [from, match((tag) => `W/${tag}`), 412])),
    row(`${id}.if-none-match`, 'If-None-Match with the tag, or *: 412 precondition_failed, and nothing changes.')
      .from(ifNoneMatch, tagged)
      .check(
        conditional(
          [from, none((tag) => `W/${tag}`), 412],
          [from, none(() => '*'), 412],
          [from, none(() => '"x"'), status],
        ),
      ),
    row(`${id}.state-first`, 'A repeat and a wrong status are reported before a false precondition.')
      .from(
        documented('The store area', '`If-Match`, `If-None-Match`'),
        writing(`${id}.again`, `${id}.${conflicts[0]}`, `${id}.if-match.other`),
      )
      .check(conditional([to, other, status], [conflicts[0] as Reachable, other, 409])),
  ]
}

export const changePromises: readonly PromiseRow[] = [
  ...CHANGES.flatMap(changeRows),
  row('orders.together', 'Of completing and cancelling an order at the same time one succeeds, and its pet agrees.')
    .from(
      documented('The store area', 'Status of an order'),
      writing('orders.complete.cancelled', 'orders.cancel.completed', 'orders.cancel.pet'),
    )
    .check(async (probe) => {
      const { id, petId } = await placed(probe)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? complete : cancel)(probe, id)),
      )
      const status = textOf((await readOrder(probe, id)).object().get('status'))
      for (const [n, answer] of answers.entries()) {
        const same = (n % 2 === 0) === (status === 'completed')
        answer.expectStatus(same ? (n % 2 === 0 ? 200 : 204) : 409)
      }
      await expectPet(probe, petId, status === 'completed' ? 'sold' : 'available')
    }),
]
