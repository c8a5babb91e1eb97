// One action on one animal: its requests, and what stops it. Selling an available animal places an order and completes
// it. Retrying is safe, because the order is placed with an Idempotency-Key.

import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { NewOrder, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { type Failure, isAborted, toFailure } from '../failures.ts'
import { now } from '../parts/clock.ts'
import { brief, otherTillSentence } from '../phrases.ts'
import { type Action, findOrder, type Subject, subjectOf } from './actions.ts'
import { expiryOf, type HoldEnd } from './hold.ts'

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

export interface Choices extends HoldEnd {
  reference: string
}

/** `blocked`: another till was faster, or the animal has no order. */
type TaskState =
  | { is: 'ready' | 'looking' | 'acting' }
  | { is: 'blocked'; what: string; advice: string }
  | { is: 'failed'; failure: Failure }

interface Placing {
  choices: string
  idempotencyKey: string
  order: NewOrder
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
const READY: TaskState = { is: 'ready' }
/** The request that changes the order. *Reserve* needs none, because placing the order reserves the animal. */
const CALLS: Record<Action, (client: PetstoreClient, id: bigint) => Promise<unknown>> = {
  reserve: async () => undefined,
  sell: (client, id) => client.completeOrder(id),
  release: (client, id) => client.cancelOrder(id),
  takeBack: (client, id) => client.returnOrder(id),
}

export class OrderTask {
  readonly state = signal(READY)
  readonly order = signal<Order | undefined>(undefined)
  /** Says that another till was faster, before this one submitted the action. */
  readonly overtaken = signal('')
  listener: TaskListener
  readonly #props: OrderTaskProps
  #placing: Placing | undefined

  constructor(props: OrderTaskProps, listener: TaskListener) {
    this.#props = props
    this.listener = listener
    this.order.value = props.subject.order
  }

  get petId(): bigint {
    return this.#props.subject.petId
  }

  get name(): string {
    return this.#props.subject.name
  }

  get isBusy(): boolean {
    return this.state.value.is === 'looking' || this.state.value.is === 'acting'
  }

  /** Looks up the order if the animal should have one and the list does not know it. */
  begin(): void {
    if (!this.#isPlacing && !this.order.value) void this.#run('looking', () => this.#findOrder())
  }

  /**
   * Starts the action, or continues after a failure. If the order has not been shown yet, only looks it up.
   * `isShared`: the order gets the reference of other orders.
   */
  async submit(choices: Choices, isShared = false): Promise<void> {
    const { action } = this.#props
    if (this.isBusy) return
    if (action === 'reserve' && choices.hold === 'other' && !choices.until) {
      this.state.value = { is: 'failed', failure: NO_END }
      return
    }
    await this.#run(this.#isPlacing || this.order.value ? 'acting' : 'looking', async () => {
      const known = this.order.value
      const order = isShared && known ? await this.#refer(known, choices.reference.trim()) : known
      if (order) return this.#act(order).catch((error) => this.#startAgain(error, choices))
      return this.#isPlacing ? this.#act(await this.#place(choices)) : this.#findOrder()
    })
  }

  /** Call this after an event of the animal. Follows its order, or sets `overtaken` if another till was faster. */
  async check(): Promise<void> {
    const isPaused = () => this.isBusy || this.state.value.is === 'blocked'
    const { client, subject } = this.#props
    if (isPaused()) return
    const order = this.order.value
    const found = await findOrder(client, subject.petId).catch(() => order)
    if (isPaused()) return
    const isSame = found?.id === order?.id && found?.status === order?.status
    if (isSame || this.#isOwn(found)) this.order.value = found
    this.overtaken.value = isSame || this.#isOwn(found) ? '' : otherTillSentence(subject.name, found)
  }

  get #isPlacing(): boolean {
    return this.#props.subject.status === 'available'
  }

  /** A sale continues with an order that this tab placed, even if the tab has not read the animal since. */
  #isOwn(found: Order | undefined): boolean {
    const { action, placed } = this.#props
    return this.#isPlacing && action === 'sell' && found?.status === 'pending' && placed.has(found.id)
  }

  async #findOrder(): Promise<TaskState> {
    const { client, subject } = this.#props
    const { petId, name, status } = subject
    const found = await findOrder(client, petId)
    if (!found) {
      const what = `${brief(name)} has no order: it was entered by hand.`
      return { is: 'blocked', what, advice: 'Open the animal to make it available.' }
    }
    this.order.value = found
    return subjectOf(found)?.status === status ? READY : this.#onConflict(found)
  }

  #onConflict(found: Order | undefined): TaskState {
    if (this.#isOwn(found)) {
      this.order.value = found
      return READY
    }
    const { action, subject } = this.#props
    const advice = found ? NOTHING_DONE[action] : 'The list shows its current status.'
    this.listener.onChange()
    return { is: 'blocked', what: otherTillSentence(subject.name, found), advice }
  }

  async #run(is: 'looking' | 'acting', work: () => Promise<TaskState>): Promise<void> {
    const { client, subject } = this.#props
    this.state.value = { is }
    try {
      this.state.value = await work().catch(async (error) => {
        if (!CONFLICTS.includes(toFailure(error).code)) throw error
        return this.#onConflict(await findOrder(client, subject.petId))
      })
    } catch (error) {
      this.state.value = isAborted(error) ? READY : { is: 'failed', failure: toFailure(error) }
    }
  }

  async #act(held: Order): Promise<TaskState> {
    const { client, action } = this.#props
    this.order.value = held
    await CALLS[action](client, held.id)
    this.listener.onDone(held)
    return READY
  }

  /** An order that is no longer pending keeps its reference, because an earlier attempt may have completed it. */
  async #refer(order: Order, reference: string): Promise<Order> {
    if (!reference || order.reference === reference) return order
    return this.#props.client.updateOrder(order.id, { reference }).catch((error) => {
      if (toFailure(error).code !== 'order_not_pending') throw error
      return order
    })
  }

  /** A sale whose reservation has ended since the last attempt needs a new one. */
  async #startAgain(error: unknown, choices: Choices): Promise<TaskState> {
    if (!this.#isPlacing || toFailure(error).code !== 'order_not_pending' || !isOver(this.order.value)) throw error
    this.order.value = undefined
    return this.#act(await this.#place(choices))
  }

  /**
   * Places the order. If the response was lost, a retry places the same order with the same key until that order has
   * ended, and then gives it the changed choices.
   */
  async #place(choices: Choices): Promise<Order> {
    const { client, placed } = this.#props
    const next = this.#placingOf(choices)
    const before = this.#placing
    const isChosenEnd = choices.hold === 'other' && before?.choices === next.choices
    const placing = before && (isChosenEnd || !isOver(before.order)) ? before : next
    this.#placing = placing
    const { order, idempotencyKey } = placing
    const held = await client.placeOrder(order, { idempotencyKey }).catch((error) => {
      const { kind, mayBeDone } = toFailure(error)
      if (kind === 'other' && !mayBeDone) this.#placing = undefined
      throw error
    })
    placed.add(held.id)
    if (placing.choices === next.choices) return held
    const { reference = null, expiresAt = null } = next.order
    return client.updateOrder(held.id, { reference, expiresAt })
  }

  #placingOf({ reference, hold, until }: Choices): Placing {
    const { action, subject } = this.#props
    const named = reference.trim() ? { reference: reference.trim() } : {}
    const end = action === 'sell' ? { expiresAt: new Date(now() + SALE_MS).toISOString() } : expiryOf(hold, until)
    const order = { petId: subject.petId, ...named, ...end }
    return { choices: JSON.stringify([reference, hold, until]), idempotencyKey: randomKey(), order }
  }
}

function isOver(order: Pick<NewOrder, 'expiresAt'> | undefined): boolean {
  return Date.parse(order?.expiresAt ?? '') <= now()
}

export function useOrderTask(props: OrderTaskProps, listener: TaskListener): OrderTask {
  const [task] = useState(() => new OrderTask(props, listener))
  task.listener = listener
  useEffect(() => task.begin(), [])
  return task
}
