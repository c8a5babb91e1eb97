// One action on one animal: its requests, and what stops it. Selling an available animal places an order and completes
// it. Retrying is safe, because the order is placed with an Idempotency-Key.

import { useEffect, useReducer, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { NewOrder, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { type Failure, isAborted, toFailure } from '../failures.ts'
import { now } from '../parts/clock.ts'
import { brief, quicker } from '../phrases.ts'
import { type Action, findOrder, type Subject, subjectOf } from './actions.ts'
import { type End, ends } from './hold.ts'

interface OrderTaskProps {
  client: PetstoreClient
  action: Action
  subject: Subject
  placed: Set<bigint>
}

interface TaskListener {
  onChange: () => void
  /** `order` is as it was when the action started, or as it was placed. */
  onDone: (order: Order) => void
}

export interface Choices extends End {
  reference: string
}

/** A sale first makes a reservation. It ends after this time, in case the tab closes before the sale is complete. */
export const SALE_MS = 10 * 60_000
const CONFLICTS = ['pet_not_available', 'pet_not_found', 'order_not_pending', 'order_not_completed']
const NOTHING_DONE: Record<Action, string> = {
  reserve: 'You have not reserved it. Choose another animal.',
  sell: 'You have not sold it. Choose another animal.',
  release: 'There is nothing left to release.',
  takeBack: 'There is nothing left to take back.',
}
const NO_END: Failure = { kind: 'other', code: 'invalid_order', message: 'Choose a day and a time.' }
/** The request that changes the order. *Reserve* needs none, because placing the order reserves the animal. */
const CALLS: Record<Action, (client: PetstoreClient, id: bigint) => Promise<unknown>> = {
  reserve: async () => undefined,
  sell: (client, id) => client.completeOrder(id),
  release: (client, id) => client.cancelOrder(id),
  takeBack: (client, id) => client.returnOrder(id),
}

export class OrderTask {
  order: Order | undefined
  /** Looking up the order, or acting. */
  busy = false
  /** The action has started and not ended. */
  acting = false
  failure: Failure | undefined
  /** Why the action is impossible: another till was quicker, or the animal has no order. */
  obstacle: { what: string; advice: string } | undefined
  /** Another till was quicker, before this one submitted the action. */
  overtaken = ''
  listener: TaskListener
  readonly #props: OrderTaskProps
  readonly #changed: () => void
  #placing: { choices: string; idempotencyKey: string; order: NewOrder } | undefined

  constructor(props: OrderTaskProps, listener: TaskListener, changed: () => void) {
    this.#props = props
    this.listener = listener
    this.#changed = changed
    this.order = props.subject.order
  }

  /** Looks up the order if the animal should have one and the list does not know it. */
  begin(): void {
    if (!this.#isPlacing && !this.order) void this.#attempt(() => this.#look())
  }

  /** Starts the action, or continues after a failure. If the order has not been shown yet, only looks it up. */
  submit(choices: Choices): void {
    const { action } = this.#props
    if (action === 'reserve' && choices.hold === 'other' && !choices.until) {
      this.failure = NO_END
      this.#changed()
      return
    }
    if (this.busy) return
    this.acting = this.#isPlacing || this.order !== undefined
    void this.#attempt(async () => {
      if (this.order) await this.#act(this.order).catch((error) => this.#startAgain(error, choices))
      else if (this.#isPlacing) await this.#act(await this.#place(choices))
      else await this.#look()
    })
  }

  /** Call this after an event of the animal. Sets `overtaken` if another till was quicker. */
  async check(): Promise<void> {
    if (this.busy || this.obstacle) return
    const { order } = this
    const { client, subject } = this.#props
    const found = await findOrder(client, subject.petId).catch(() => order)
    if (this.#isOwn(found)) this.order = found
    else this.overtaken = found?.id === order?.id && found?.status === order?.status ? '' : quicker(subject.name, found)
    this.#changed()
  }

  get #isPlacing(): boolean {
    return this.#props.subject.status === 'available'
  }

  /** A sale continues with an order that this tab placed, even if the tab has not read the animal since. */
  #isOwn(found: Order | undefined): boolean {
    const { action, placed } = this.#props
    return this.#isPlacing && action === 'sell' && found?.status === 'pending' && placed.has(found.id)
  }

  async #look(): Promise<void> {
    const { client, subject } = this.#props
    const { petId, name, status } = subject
    this.order = await findOrder(client, petId)
    if (!this.order) {
      this.obstacle = {
        what: `${brief(name)} has no order: it was entered by hand.`,
        advice: 'Open the animal to make it available.',
      }
    } else if (subjectOf(this.order)?.status !== status) this.#meet(this.order)
  }

  #meet(found: Order | undefined): void {
    if (this.#isOwn(found)) {
      this.order = found
      return
    }
    const { action, subject } = this.#props
    const advice = found ? NOTHING_DONE[action] : 'The list shows its current status.'
    this.obstacle = { what: quicker(subject.name, found), advice }
    this.listener.onChange()
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.busy = true
    this.failure = undefined
    this.#changed()
    try {
      await work().catch(async (error) => {
        if (!CONFLICTS.includes(toFailure(error).code)) throw error
        this.#meet(await findOrder(this.#props.client, this.#props.subject.petId))
      })
    } catch (error) {
      if (!isAborted(error)) this.failure = toFailure(error)
    }
    this.busy = false
    this.acting = false
    this.#changed()
  }

  async #act(held: Order): Promise<void> {
    const { client, action } = this.#props
    this.order = held
    await CALLS[action](client, held.id)
    this.listener.onDone(held)
  }

  /** A sale whose reservation has ended since the last attempt needs a new one. */
  async #startAgain(error: unknown, choices: Choices): Promise<void> {
    if (!this.#isPlacing || toFailure(error).code !== 'order_not_pending' || !isOver(this.order)) throw error
    this.order = undefined
    await this.#act(await this.#place(choices))
  }

  /** Unchanged choices place the same order with the same key, until it has ended. */
  async #place({ reference, hold, until }: Choices): Promise<Order> {
    const { client, action, subject, placed } = this.#props
    const choices = JSON.stringify([reference, hold, until])
    if (this.#placing?.choices !== choices || (hold !== 'other' && isOver(this.#placing.order))) {
      const named = reference.trim() ? { reference: reference.trim() } : {}
      const end = action === 'sell' ? { expiresAt: new Date(now() + SALE_MS).toISOString() } : ends(hold, until)
      this.#placing = { choices, idempotencyKey: randomKey(), order: { petId: subject.petId, ...named, ...end } }
    }
    const held = await client.placeOrder(this.#placing.order, { idempotencyKey: this.#placing.idempotencyKey })
    placed.add(held.id)
    return held
  }
}

function isOver(order: Pick<NewOrder, 'expiresAt'> | undefined): boolean {
  return Date.parse(order?.expiresAt ?? '') <= now()
}

export function useOrderTask(props: OrderTaskProps, listener: TaskListener): OrderTask {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const [task] = useState(() => new OrderTask(props, listener, () => render(undefined)))
  task.listener = listener
  useEffect(() => task.begin(), [])
  return task
}
