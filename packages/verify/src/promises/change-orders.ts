// Level `store`: completing, cancelling and returning orders, and the effect on their pets.

import type { Answer } from '../answer.ts'
import { expectPet, moves, orderThatIs, REACHED, type Reachable, readOrder } from '../orders.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { changeRows } from './shared/correction-rows.ts'
import { familyOf, header, ofStore, operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
/** The pause between two changes, so that their times differ. */
const CLOCK_MS = 3
const CONFLICTS = ['orders.complete.conflict', 'orders.cancel.conflict']

interface Move {
  id: string
  ask(probe: Probe, id: string, options?: RequestOptions): Promise<Answer>
  from: 'pending' | 'completed'
  to: Reachable
}

const MOVES: readonly Move[] = [
  { id: 'orders.complete', ask: moves.complete, from: 'pending', to: 'completed' },
  { id: 'orders.cancel', ask: moves.cancel, from: 'pending', to: 'cancelled' },
  { id: 'orders.return', ask: moves.return, from: 'completed', to: 'returned' },
]

function moveRows({ id, ask, from, to }: Move) {
  const { of } = familyOf(id)
  const status = to === 'cancelled' ? 204 : 200
  const pet = to === 'completed' ? 'sold' : 'available'
  const code = `order_not_${from}`
  /** The statuses in which the move is rejected. */
  const conflicts = (Object.keys(REACHED) as Reachable[]).filter((state) => state !== from && state !== to)
  const done = writing(`${id}.success`)
  /** Makes an order with this status, and requests the move. */
  const requested = async (probe: Probe, state: Reachable, options?: RequestOptions) => {
    const { id, petId } = await orderThatIs(probe, state)
    const before = await readOrder(probe, id)
    await Bun.sleep(CLOCK_MS)
    return { id, petId, before, answer: await ask(probe, id, options) }
  }
  return [
    row(`${id}.success`, `An order that is ${from} becomes ${to}: ${status}. No other field but changedAt changes.`)
      .from([response(of, status), schema('Order', 'changedAt')], {
        ...writing(from === 'pending' ? 'orders.place.success' : 'orders.complete.success'),
        // The clocks of two servers can differ.
        races: true,
      })
      .check(async (probe) => {
        const { id, before, answer } = await requested(probe, from)
        answer.expectStatus(status)
        const now = await readOrder(probe, id)
        answer.expectText(status === 204 ? '' : now.text)
        const changedAt = now.object().get('changedAt')
        now.expectMembers(new Map(before.object()).set('status', to).set('changedAt', changedAt ?? null))
        const isLater = now.expectInstant('changedAt') > before.expectInstant('changedAt')
        now.expect(isLater, 'a later changedAt', now.text)
      }),
    row(`${id}.pet`, `The order's pet becomes ${pet}.`)
      .from(operation(of, 'description'), writing(`${id}.success`, 'pets.get.status'))
      .check(async (probe) => {
        const { petId, answer } = await requested(probe, from)
        answer.expectStatus(status)
        await expectPet(probe, petId, pet)
      }),
    row(`${id}.again`, `An order that is already ${to}: ${status} again, and nothing changes.`)
      .from(operation(of, 'description'), done)
      .check(async (probe) => {
        const { before, answer } = await requested(probe, to)
        answer.expectStatus(status)
        if (status === 200) answer.expectMembers(before.object())
        ;(await readOrder(probe, before.id)).expectMembers(before.object())
      }),
    row(`${id}.conflict`, `An order that is ${conflicts.join(' or ')}: 409 ${code}, and nothing changes.`)
      .from(response(of, 409), writing(`${id}.success`, ...conflicts.flatMap((state) => REACHED[state])))
      .check(async (probe) => {
        for (const state of conflicts) {
          const { before, answer } = await requested(probe, state)
          answer.expectError(409, code)
          ;(await readOrder(probe, before.id)).expectMembers(before.object())
        }
      }),
    row(`${id}.state-first`, 'A repeat and a wrong status take precedence over a failed precondition.')
      .from(ofStore('`If-Match`, `If-None-Match`'), writing(`${id}.again`, `${id}.conflict`, `${id}.if-match`))
      .check(async (probe) => {
        const options = { headers: { 'If-Match': '"x"' } }
        ;(await requested(probe, to, options)).answer.expectStatus(status)
        ;(await requested(probe, conflicts[0] as Reachable, options)).answer.expectError(409, code)
      }),
    ...(status === 200
      ? [
          row(`${id}.etag`, 'The response, also of a repeat, has the ETag of GET. A body is ignored.')
            .from([header('ETag'), ofStore('Complete and return')], writing(`${id}.success`, 'orders.get.etag'))
            .check(async (probe) => {
              const { id } = await orderThatIs(probe, from)
              const answers = []
              for (const type of ['application/json', 'text/plain'])
                answers.push(await ask(probe, id, { headers: { 'Content-Type': type }, body: '{"x":' }))
              const tag = (await readOrder(probe, id)).header('ETag')
              for (const answer of answers) answer.expectStatus(200).expectHeader('ETag', tag)
            }),
        ]
      : []),
    ...changeRows({
      id,
      path: async (probe) => `/store/orders/${(await orderThatIs(probe, from)).id}`,
      ask: (probe, path, options) => ask(probe, path.replace('/store/orders/', ''), options),
    }),
  ]
}

export const changePromises = [
  ...MOVES.flatMap(moveRows),
  row('orders.together', 'If an order is completed and cancelled at the same time, one succeeds and the pet matches.')
    .from(ofStore('Status of an order'), writing('orders.cancel.pet', ...CONFLICTS))
    .check(async (probe) => {
      const { id, petId } = await orderThatIs(probe, 'pending')
      const move = (_: unknown, n: number) => moves[n % 2 === 0 ? 'complete' : 'cancel'](probe, id)
      const answers = await Promise.all(Array.from({ length: 8 }, move))
      const isCompleted = (await readOrder(probe, id)).object().get('status') === 'completed'
      for (const [n, answer] of answers.entries()) {
        const isSame = (n % 2 === 0) === isCompleted
        answer.expectStatus(isSame ? (isCompleted ? 200 : 204) : 409)
      }
      await expectPet(probe, petId, isCompleted ? 'sold' : 'available')
    }),
]
