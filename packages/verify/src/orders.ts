// Orders for the checks of the store area: of pets of our own, as far as nobody else orders those.

import type { JsonObject } from '../../contract/src/json.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { type Answer, number } from './answer.ts'
import { addPet, newName, preliminary } from './fixtures.ts'
import type { Probe, RequestOptions } from './probe.ts'
import { Unjudged } from './request.ts'

export const ORDER_STATUSES = ['pending', 'completed', 'cancelled', 'expired', 'returned'] as const
export type Reachable = Exclude<(typeof ORDER_STATUSES)[number], 'expired'>
/** The promises without which no order comes to this status. */
export const REACHED: Record<Reachable, readonly string[]> = {
  pending: [],
  completed: ['orders.complete.success'],
  cancelled: ['orders.cancel.success'],
  returned: ['orders.return.success'],
}
const TRIES = 3

/** The orders that we have placed. */
const own = new Set<string>()
/** Our requests that have no answer yet: their orders may be on the server already. */
const unanswered = new Set<Promise<unknown>>()

export async function newPetId(probe: Probe, fields: Record<string, unknown> = {}): Promise<string> {
  const added = await preliminary(addPet(probe, { status: 'available', ...fields }))
  if (!added.object().has('id')) throw new Unjudged('The answer to a create has no id.')
  return added.id
}

/** A field that is undefined is left out. */
export function orderBody(petId: string, fields: Record<string, unknown> = {}): string {
  return stringifyJson({ petId: number(petId), reference: newName('order'), ...fields })
}

/** Throws Taken when somebody else has ordered the pet. */
export async function place(
  probe: Probe,
  body: string | Uint8Array | undefined,
  options: RequestOptions = {},
): Promise<Answer> {
  const answered = probe.post('/store/orders', body, options).then((answer) => {
    if (answer.status === 201) own.add(answer.id)
    return answer
  })
  unanswered.add(answered)
  const answer = await answered.finally(() => unanswered.delete(answered))
  const [, petId] = /"petId" ?: ?(\d+)/.exec(typeof body === 'string' ? body : '') ?? []
  if (answer.status === 409 && petId !== undefined && (await orderedByOthers(probe, petId))) throw new Taken()
  return answer
}

/** Somebody else was faster. */
class Taken extends Unjudged {
  constructor() {
    super('Somebody else has ordered the pet.')
  }
}

async function orderedByOthers(probe: Probe, petId: string): Promise<boolean> {
  const path = `/store/orders?petId=${petId}&limit=100`
  const orders = await preliminary(probe.read(path).then(({ ids }) => ids))
  await Promise.allSettled(unanswered)
  return orders.some((id) => !own.has(id))
}

export interface Placed {
  id: string
  petId: string
  answer: Answer
}

/** An order of a new pet. Another one, should somebody else have been faster. */
export async function placed(
  probe: Probe,
  fields: Record<string, unknown> = {},
  pet: Record<string, unknown> = {},
): Promise<Placed> {
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

export const complete = (probe: Probe, id: string, options?: RequestOptions) =>
  probe.ask(`POST /store/orders/${id}/complete`, options)
export const cancel = (probe: Probe, id: string, options?: RequestOptions) =>
  probe.ask(`DELETE /store/orders/${id}`, options)
export const giveBack = (probe: Probe, id: string, options?: RequestOptions) =>
  probe.ask(`POST /store/orders/${id}/return`, options)
export const readOrder = (probe: Probe, id: string) => probe.read(`/store/orders/${id}`)

/** A new order that has come to this status. */
export async function orderThatIs(probe: Probe, status: Reachable): Promise<Placed> {
  const order = await placed(probe)
  if (status === 'cancelled') (await cancel(probe, order.id)).expectStatus(204)
  if (status === 'completed' || status === 'returned') (await complete(probe, order.id)).expectStatus(200)
  if (status === 'returned') (await giveBack(probe, order.id)).expectStatus(200)
  return order
}

/** Throws Taken when somebody else has ordered the pet. */
export async function expectPet(probe: Probe, petId: string, status: string): Promise<void> {
  const answer = await probe.read(`/pets/${petId}`)
  if (answer.object().get('status') === status) return
  if (await orderedByOthers(probe, petId)) throw new Taken()
  answer.expectMember('status', status)
}

/** That nothing of the order differs from what it was. */
export async function expectUnchanged(probe: Probe, before: Answer): Promise<void> {
  ;(await readOrder(probe, before.id)).expectMembers(before.object())
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A time as the contract has it: UTC, with milliseconds. */
export function expectInstant(answer: Answer, name: string, object: JsonObject = answer.object()): number {
  const value = object.get(name)
  if (typeof value === 'string' && INSTANT.test(value)) return Date.parse(value)
  throw answer.broken(`${name}: a time in UTC with milliseconds`, `${name}: ${stringifyJson(value ?? null)}`)
}

/** An Idempotency-Key that was never used. */
export const newKey = () => `"${crypto.randomUUID()}"`

export const under = (key: string) => ({ headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key } })

/** A replay of a create, or of an order. */
export const expectReplay = (again: Answer, first: Answer) =>
  again.expectStatus(201).expectHeader('Location', first.header('Location')).expectText(first.text)
