// One action on one animal: its requests, one after another, and what stops them. Selling an available animal is two, an
// order and its completion. Going on after a failure is safe, because the order is placed with an Idempotency-Key.

import { useEffect, useRef, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { NewOrder, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { withoutOrder } from '../animal/status-labels.ts'
import { type Failure, toFailure } from '../failures.ts'
import { useBusy } from '../parts/busy.ts'
import { brief, quicker } from '../phrases.ts'
import { type Action, findOrder, type Subject, subjectOf } from './actions.ts'
import { ends, type Hold } from './hold-field.tsx'

export interface OrderTaskProps {
  client: PetstoreClient
  action: Action
  subject: Subject
  /** The orders that this page has placed. */
  placed: Set<bigint>
  /** Something may have changed, by the action or by somebody else. */
  onChange: () => void
  /** `order`: as it was when the action began, or as it was placed. */
  onDone: (order: Order) => void
}

interface Choices {
  reference: string
  hold: Hold
  until: string
}

export interface OrderTask {
  order: Order | undefined
  /** The order is being looked up, or the action is under way. */
  busy: boolean
  /** The action was begun, and has not ended. */
  acting: boolean
  failure: Failure | undefined
  /** Why the action is not possible: somebody was quicker, or the animal has no order. */
  obstacle: { what: string; advice: string } | undefined
  /** Something has happened to the animal: says so where somebody else was quicker, and leaves the dialog as it is. */
  check: () => void
  overtaken: string
  /** Begins, or goes on after a failure. */
  submit: (choices: Choices) => void
}

const CONFLICTS = ['pet_not_available', 'pet_not_found', 'order_not_pending', 'order_not_completed']
const NOTHING_DONE: Record<Action, string> = {
  reserve: 'You have not reserved it. Choose another animal.',
  sell: 'You have not sold it. Choose another animal.',
  release: 'There is nothing left to release.',
  takeBack: 'There is nothing left to take back.',
}
const NO_ORDER = 'Its own page can make it available.'
const NO_END: Failure = { kind: 'other', code: 'invalid_order', message: 'Choose a day and a time.' }

export function useOrderTask({ client, action, subject, placed, onChange, onDone }: OrderTaskProps): OrderTask {
  const { petId, name, status } = subject
  const placing = status === 'available'
  const place = usePlacing({ client, action, subject, placed })
  const [order, setOrder] = useState(subject.order)
  const [busy, once] = useBusy()
  const [acting, setActing] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [obstacle, setObstacle] = useState<OrderTask['obstacle']>()
  const [overtaken, setOvertaken] = useState('')
  /** The order that was shown when the button was pressed, while it was looked up again. */
  const confirmed = useRef<Order>(undefined)

  // The list may be some seconds old, and knows no order of an animal that is sold.
  useEffect(() => {
    if (!placing)
      attempt(async () => {
        const found = await look()
        if (found && found.changedAt === confirmed.current?.changedAt) await act(found)
      })
  }, [])

  /** `undefined` when there is an obstacle. */
  async function look(): Promise<Order | undefined> {
    const found = await findOrder(client, petId)
    setOrder(found)
    const expected = subject.order?.id ?? found?.id
    if (found?.id !== expected || (found && subjectOf(found)?.status !== status)) return meetObstacle(found)
    if (!found)
      setObstacle({
        what: `${brief(name)} was ${withoutOrder(status)}.`,
        advice: NO_ORDER,
      })
    return found
  }

  /** The sale goes on with an order that this page has placed itself, though the page has not read the animal again since. */
  function isOwn(found: Order | undefined): boolean {
    return placing && action === 'sell' && found?.status === 'pending' && placed.has(found.id)
  }

  function meetObstacle(found: Order | undefined): undefined {
    if (isOwn(found)) return setOrder(found) as undefined
    const advice = found ? NOTHING_DONE[action] : 'The list shows it as it is now.'
    setObstacle({ what: quicker(name, found), advice })
    onChange()
  }

  function attempt(work: () => Promise<unknown>): Promise<void> {
    return once(async () => {
      setFailure(undefined)
      try {
        await work().catch(meetConflict)
      } catch (error) {
        setFailure(toFailure(error))
      } finally {
        setActing(false)
      }
    })
  }

  async function meetConflict(error: unknown): Promise<void> {
    if (!CONFLICTS.includes(toFailure(error).code)) throw error
    meetObstacle(await findOrder(client, petId))
  }

  async function act(held: Order): Promise<void> {
    setOrder(held)
    await finish(client, action, held.id)
    onDone(held)
  }

  function submit(choices: Choices): void {
    if (action === 'reserve' && choices.hold === 'other' && !choices.until) {
      setFailure(NO_END)
      return
    }
    // Nothing is done to an order that nobody has seen yet.
    setActing(placing || order !== undefined)
    if (busy) confirmed.current = order
    else attempt(async () => (order ? act(order) : placing ? act(await place(choices)) : look()))
  }

  async function check(): Promise<void> {
    if (busy || obstacle) return
    const found = await findOrder(client, petId).catch(() => order)
    if (isOwn(found)) setOrder(found)
    else setOvertaken(found?.id === order?.id ? '' : quicker(name, found))
  }

  return { order, busy, acting, failure, obstacle, overtaken, check, submit }
}

/** Places the same order with the same key, unless the choices have changed. */
function usePlacing({ client, action, subject: { petId }, placed }: Omit<OrderTaskProps, 'onChange' | 'onDone'>) {
  const attempt = useRef<{ choices: string; idempotencyKey: string; order: NewOrder } | undefined>(undefined)
  return async ({ reference, hold, until }: Choices): Promise<Order> => {
    const choices = JSON.stringify([reference, hold, until])
    if (attempt.current?.choices !== choices) {
      const named = reference.trim() ? { reference: reference.trim() } : {}
      const order = { petId, ...named, ...(action === 'reserve' ? ends(hold, until) : {}) }
      attempt.current = { choices, idempotencyKey: randomKey(), order }
    }
    const held = await client.placeOrder(attempt.current.order, attempt.current)
    placed.add(held.id)
    return held
  }
}

/** What an action does with its order. An animal is reserved as soon as the order is placed. */
async function finish(client: PetstoreClient, action: Action, id: bigint): Promise<void> {
  if (action !== 'reserve') await CALLS[action](client, id)
}

const CALLS: Record<Exclude<Action, 'reserve'>, (client: PetstoreClient, id: bigint) => Promise<unknown>> = {
  sell: (client, id) => client.completeOrder(id),
  release: (client, id) => client.cancelOrder(id),
  takeBack: (client, id) => client.returnOrder(id),
}
