// Orders for the checks of the store area. They reserve test pets, which another client could order at the same time.

import type { OrderStatus } from '../../contract/src/generated.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { type Answer, memberOf, number } from './answer.ts'
import { addPet, asPremise, type Fields, newName, orElse } from './fixtures.ts'
import type { Probe, RequestOptions } from './probe.ts'
import { Unjudged } from './request.ts'

export type Reachable = Exclude<OrderStatus, 'expired'>
/** The promises that bring an order to each status. */
export const REACHED: Record<Reachable, readonly string[]> = {
  pending: [],
  completed: ['orders.complete.success'],
  cancelled: ['orders.cancel.success'],
  returned: ['orders.return.success'],
}
/** The promises that bring orders to every status. */
export const REACHED_ALL = ['orders.cancel.success', 'orders.return.success']
const TRIES = 3

export async function newPetId(probe: Probe, fields: Fields = {}): Promise<string> {
  const added = await asPremise(addPet(probe, { status: 'available', ...fields }))
  if (!added.object().has('id')) throw probe.unjudged('The response to a create has no id.')
  return added.id
}

/** Leaves out undefined fields. */
export function orderBody(petId: string, fields: Fields = {}): string {
  return stringifyJson({ petId: number(petId), reference: newName('order'), ...fields })
}

/** Rejects with Taken if another client ordered the pet. */
export async function place(probe: Probe, body: RequestOptions['body'], options?: RequestOptions): Promise<Answer> {
  const { placed, inFlight } = probe.orders
  const answered = probe.post('/store/orders', body, options).then((answer) => {
    if (answer.status === 201) placed.add(answer.id)
    return answer
  })
  inFlight.add(answered)
  const answer = await answered.finally(() => inFlight.delete(answered))
  const petId = memberOf(new TextDecoder().decode(answer.request.body), 'petId')
  if (answer.status === 409 && petId !== undefined && (await orderedByOthers(probe, petId))) throw taken()
  return answer
}

/** Another client ordered the pet first. */
class Taken extends Unjudged {}
const taken = () => new Taken('Another client ordered the pet.')

async function orderedByOthers(probe: Probe, petId: string): Promise<boolean> {
  const path = `/store/orders?petId=${petId}&limit=100`
  const orders = await asPremise(probe.read(path).then(({ ids }) => ids))
  const { placed, inFlight } = probe.orders
  await Promise.allSettled(inFlight)
  return orders.some((id) => !placed.has(id))
}

export interface Placed {
  id: string
  petId: string
  answer: Answer
}

/** Places an order for a new pet. Tries again with another pet if another client ordered the first. */
export async function placed(probe: Probe, fields?: Fields, pet?: Fields): Promise<Placed> {
  for (let n = 1; ; n++) {
    const petId = await newPetId(probe, pet)
    try {
      const answer = (await place(probe, orderBody(petId, fields))).expectStatus(201)
      return { id: answer.id, petId, answer }
    } catch (error) {
      if (!(error instanceof Taken) || n === TRIES) throw error
    }
  }
}

/** Rejects with Unjudged unless an event of an order has `pet`, as in version 2.0.0 and later. */
export function expectAdditions(probe: Probe): Promise<void> {
  return probe.shared('additions', async (own) => {
    if (own.target.write) await orElse(placed(own), undefined)
    const events = own.read('/store/events?type=order.placed&sort=newest&limit=100').then((answer) => answer.objects())
    if (!(await orElse(events, [])).some((event) => event.has('pet')))
      throw new Unjudged('The server is older than version 2.0.0.')
  })
}

const moving = (line: string) => (probe: Probe, id: string, options?: RequestOptions) =>
  probe.ask(line.replace('{orderId}', id), options)
export const moves = {
  complete: moving('POST /store/orders/{orderId}/complete'),
  cancel: moving('DELETE /store/orders/{orderId}'),
  return: moving('POST /store/orders/{orderId}/return'),
}
export const readOrder = (probe: Probe, id: string) => probe.read(`/store/orders/${id}`)

/** Resolves with a new order in this status. */
export async function orderThatIs(probe: Probe, status: Reachable): Promise<Placed> {
  const order = await placed(probe)
  if (status === 'cancelled') (await moves.cancel(probe, order.id)).expectStatus(204)
  if (status === 'completed' || status === 'returned') (await moves.complete(probe, order.id)).expectStatus(200)
  if (status === 'returned') (await moves.return(probe, order.id)).expectStatus(200)
  return order
}

/** Rejects with Taken if another client ordered the pet. */
export async function expectPet(probe: Probe, petId: string, status: string): Promise<void> {
  const answer = await probe.read(`/pets/${petId}`)
  if (answer.object().get('status') === status) return
  if (await orderedByOthers(probe, petId)) throw taken()
  answer.expectMember('status', status)
}
