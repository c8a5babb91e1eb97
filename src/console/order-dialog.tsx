// Reserving, selling, releasing or taking back one animal. Selling an available animal is two requests, an order and its
// completion: what stops between them is said, and going on is safe, because the order is placed with an Idempotency-Key.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { randomKey } from '../client/idempotency-key.ts'
import type { NewOrder, Order, PetstoreClient } from '../client/petstore.ts'
import { ACTION_LABELS, type Action, findOrder, type Subject, subjectOf } from './actions.ts'
import { Dialog } from './dialog.tsx'
import { type Failure, toFailure } from './failures.ts'
import { ends, type Hold, HoldField } from './hold-field.tsx'
import { Name } from './list-table.tsx'
import { Notice } from './notice.tsx'
import { brief, quicker, terms, time } from './phrases.ts'
import { TextField } from './text-field.tsx'

interface OrderDialogProps {
  client: PetstoreClient
  action: Action
  subject: Subject
  open: boolean
  setOpen: (open: boolean) => void
  /** Something has changed, by this dialog or by somebody else. */
  onChange: () => void
  onDone: (sentence: string) => void
}

const CONFLICTS = ['pet_not_available', 'pet_not_found', 'order_not_pending', 'order_not_completed']
const NOTHING_DONE: Record<Action, string> = {
  reserve: 'You have not reserved it. Choose another animal.',
  sell: 'You have not sold it. Choose another animal.',
  release: 'There is nothing left to release.',
  takeBack: 'There is nothing left to take back.',
}

const NO_ORDER = 'Only an order changes a status, so it stays as it is.'

export function OrderDialog({ client, action, subject, open, setOpen, onChange, onDone }: OrderDialogProps) {
  const { petId, name } = subject
  const placing = subject.status === 'available'
  const form = useRef<HTMLFormElement>(null)
  const [order, setOrder] = useState(subject.order)
  const [reference, setReference] = useState('')
  const [hold, setHold] = useState<Hold>('day')
  const [until, setUntil] = useState('')
  const [busy, setBusy] = useState(!placing)
  const [failure, setFailure] = useState<Failure>()
  /** Why the action is not possible: somebody was quicker, or the animal has no order. */
  const [obstacle, setObstacle] = useState<{ what: string; advice: string }>()
  /** The button was pressed while the order was still being looked up. */
  const pressed = useRef(false)
  const attempt = useRef<{ choices: string; key: string; order: NewOrder } | undefined>(undefined)

  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('input, .primary')?.focus(), [obstacle])

  // The list may be some seconds old, and knows no order of an animal that is sold.
  useEffect(() => {
    if (!placing)
      attemptTo(async () => {
        const found = await look()
        if (found && pressed.current) await act(found)
      })
  }, [])

  /** `undefined` when there is an obstacle. */
  async function look(): Promise<Order | undefined> {
    const found = await findOrder(client, petId)
    setOrder(found)
    const expected = subject.order?.id ?? found?.id
    if (found?.id !== expected || (found && subjectOf(found)?.status !== subject.status)) return meetObstacle(found)
    if (!found)
      setObstacle({ what: `${brief(name)} was added as ${subject.status}, without an order.`, advice: NO_ORDER })
    return found
  }

  function meetObstacle(found: Order | undefined): undefined {
    setObstacle({
      what: quicker(name, found),
      advice: found ? NOTHING_DONE[action] : 'The list shows it as it is now.',
    })
    onChange()
  }

  async function attemptTo(work: () => Promise<unknown>): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      const failed = toFailure(error)
      if (CONFLICTS.includes(failed.code)) await attemptTo(async () => meetObstacle(await findOrder(client, petId)))
      else setFailure(failed)
    } finally {
      setBusy(false)
    }
  }

  /** The same order with the same key, unless the choices have changed. */
  async function place(): Promise<Order> {
    const choices = JSON.stringify([reference, hold, until])
    if (attempt.current?.choices !== choices) {
      attempt.current = {
        choices,
        key: randomKey(),
        order: { petId, ...given(reference), ...(action === 'reserve' ? ends(hold, until) : {}) },
      }
    }
    const placed = await client.placeOrder(attempt.current.order, { idempotencyKey: attempt.current.key })
    setOrder(placed)
    return placed
  }

  async function act(known = order): Promise<void> {
    const held = known ?? (await (placing ? place() : look()))
    if (!held) return
    if (action === 'sell') await client.completeOrder(held.id)
    if (action === 'release') await client.cancelOrder(held.id)
    if (action === 'takeBack') await client.returnOrder(held.id)
    setOpen(false)
    onDone(done(action, name, held))
  }

  function submit(event: Event): void {
    event.preventDefault()
    if (busy) pressed.current = true
    else if (action === 'reserve' && hold === 'other' && !until) {
      setFailure({ kind: 'other', code: 'invalid_order', message: 'Choose a day and a time.' })
    } else {
      attemptTo(() => act())
    }
  }

  function close(open: boolean): void {
    setOpen(open)
    if (placing && (order || failure)) onChange()
  }

  const halfDone = placing && action === 'sell' && order !== undefined
  return (
    <Dialog id="order-title" title={<Name name={`${ACTION_LABELS[action]} ${name}`} />} open={open} setOpen={close}>
      <form ref={form} onSubmit={submit} noValidate>
        {obstacle && (
          <Notice kind="warning" title={obstacle.what}>
            {obstacle.advice}
          </Notice>
        )}
        {failure && (
          <Notice kind="error" title={problem(failure, halfDone)}>
            {halfDone
              ? 'It is reserved for this sale. Try again, or release it in the list.'
              : failure.kind === 'unavailable' && 'Try again: what has been done already is not done twice.'}
          </Notice>
        )}
        {!obstacle && placing && !halfDone && (
          <>
            <TextField
              id="reference"
              label="For whom"
              dir="auto"
              maxLength={255}
              value={reference}
              setText={setReference}
              hint="A customer or a receipt, if you like."
            />
            {action === 'reserve' && <HoldField {...{ hold, setHold, until, setUntil }} />}
          </>
        )}
        {!obstacle && !placing && order && <p>{describe(order)}</p>}
        <div class="dialog-actions">
          {obstacle ? (
            <button type="button" class="primary" onClick={() => close(false)}>
              Back to the list
            </button>
          ) : (
            <button type="submit" class="primary" aria-disabled={busy}>
              {failure ? 'Try again' : ACTION_LABELS[action]}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

function given(reference: string): { reference?: string } {
  return reference.trim() ? { reference: reference.trim() } : {}
}

function problem({ code, message }: Failure, halfDone: boolean): string {
  if (code === 'invalid_order') return message.replace(/^expiresAt/, 'The end')
  return halfDone ? `Not sold yet. ${message}` : message
}

function describe(order: Order): string {
  if (order.status === 'completed') return `Sold ${time(order.changedAt)}${terms(order)}.`
  return `Reserved${terms(order) || ` since ${time(order.placedAt)}`}.`
}

function done(action: Action, name: string, order: Order): string {
  if (action === 'reserve') return `${brief(name)} is reserved${terms(order)}.`
  return `${brief(name)} is ${action === 'sell' ? 'sold' : 'available again'}.`
}
