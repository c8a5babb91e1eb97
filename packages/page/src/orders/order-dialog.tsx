// The dialog that reserves, sells, releases or takes back one animal, and shows the result.

import { useLayoutEffect, useState } from 'preact/hooks'
import type { Order } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { labelOf } from '../animal/status-labels.ts'
import type { Failure } from '../failures.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { brief, terms, time } from '../phrases.ts'
import { useScans } from '../scan.ts'
import { useSessionState } from '../session/session-state.ts'
import { ACTION_LABELS, type Action, DOING_LABELS, type Subject } from './actions.ts'
import type { GroupStart } from './group.ts'
import { HoldField } from './hold-field.tsx'
import { type Choices, useOrderTask } from './order-task.ts'

/** The draft is kept if the key is rejected and the person signs in again. Closing the dialog removes it. */
export const RESERVATION = 'petstore.reservation'
export const NO_RESERVATION: Choices & { petId: string } = { petId: '', reference: '', hold: 'day', until: '' }

interface OrderDialogProps extends Service, Opening {
  action: Action
  subject: Subject
  placed: Set<bigint>
  /** Another animal is added to this sale or reservation. */
  onMore: (begun: NonNullable<GroupStart['begun']>, scan?: GroupStart['scan']) => void
  onChange: () => void
  onDone: (sentence: string, order: Order) => void
}

export function OrderDialog({ feed, open, setOpen, onMore, onChange, onDone, ...props }: OrderDialogProps) {
  const { action, subject } = props
  const petId = String(subject.petId)
  const placing = subject.status === 'available'
  const [savedDraft, saveDraft] = useSessionState(RESERVATION, NO_RESERVATION)
  const [restored] = useState(savedDraft.petId === petId)
  const [choices, setChoices] = useState(restored ? savedDraft : { ...NO_RESERVATION, petId })
  const task = useOrderTask(props, { onChange, onDone: finish })
  const [order, state] = [task.order.value, task.state.value]
  const acting = state.is === 'acting'
  const failure = state.is === 'failed' ? state.failure : undefined
  const obstacle = state.is === 'blocked' ? state : undefined
  useEvents(feed, (events) => open && events.some(({ petId }) => petId === subject.petId) && task.check())
  const halfDone = placing && action === 'sell' && order !== undefined

  // If the dialog was closed, reopens it to show the failure.
  useLayoutEffect(() => {
    if (obstacle || failure) setOpen(true)
  }, [state])
  // The focused field is gone, so focuses the main button.
  useLayoutEffect(() => {
    if (obstacle || halfDone) document.querySelector<HTMLElement>('dialog[open] .primary')?.focus()
  }, [obstacle, halfDone])

  const canHaveMore = (action === 'sell' || placing) && !acting && !obstacle
  function addMore({ reference }: Pick<Choices, 'reference'> = choices, scan?: GroupStart['scan']): void {
    saveDraft(NO_RESERVATION)
    onMore({ task, choices: { ...choices, reference } }, scan)
  }
  useScans(open && canHaveMore, ({ record, field, remove }) => {
    remove()
    const inReference = field?.id === 'reference'
    // The state can still have the scanned characters.
    addMore({ reference: inReference ? field.value : choices.reference }, { record, inReference })
  })

  function choose(change: Partial<Choices>): void {
    setChoices({ ...choices, ...change })
    saveDraft({ ...choices, ...change })
  }

  function finish(held: Order): void {
    close(false)
    onDone(done(action, subject.name, held), held)
  }

  function close(open: boolean): void {
    setOpen(open)
    if (!open) saveDraft(NO_RESERVATION)
    if (placing && (order || failure)) onChange()
  }

  const title = `${ACTION_LABELS[action]} ${brief(subject.name)}`
  return (
    <FormDialog
      id="order-title"
      {...{ title, open }}
      setOpen={close}
      submit={() => task.submit(choices)}
      action={obstacle ? undefined : acting ? DOING_LABELS[action] : failure ? 'Try again' : ACTION_LABELS[action]}
      busy={task.isBusy}
      others={canHaveMore && <Button text="Another animal" class="quiet" onClick={() => addMore()} />}
    >
      {obstacle && <Notice kind="warning" title={obstacle.what} text={obstacle.advice} />}
      {failure && <Notice kind="error" title={problemOf(failure, halfDone)} text={adviceOn(failure, halfDone)} />}
      {!obstacle && task.overtaken.value && <Notice kind="warning" title={task.overtaken.value} />}
      {!obstacle && placing && !halfDone && (
        <>
          {restored && <p class="hint">Draft restored.</p>}
          <TextField
            id="reference"
            label="For whom"
            dir="auto"
            maxLength={TEXT_LENGTH_MAX}
            value={choices.reference}
            setText={(reference) => choose({ reference })}
            hint="Customer or receipt number (optional)"
          />
          {action === 'reserve' && <HoldField {...choices} setEnd={choose} />}
        </>
      )}
      {!obstacle && !failure && order && (!placing || !acting) && <p translate={false}>{describe(order)}</p>}
      {state.is === 'looking' && <p class="muted">Looking up its order…</p>}
    </FormDialog>
  )
}

/** `halfDone`: the animal is reserved but not sold yet. */
export function adviceOn({ kind }: Failure, halfDone: boolean): string {
  if (halfDone) return 'It is reserved for 10 minutes. Try again, or release it in the list.'
  return kind === 'unavailable' ? 'Try again: nothing will be done twice.' : ''
}

export function problemOf({ code, message }: Failure, halfDone: boolean): string {
  if (code === 'invalid_order') return message.replace(/^expiresAt/, 'The end')
  return halfDone ? `Not sold yet. ${message}` : message
}

function describe(order: Order): string {
  const label = labelOf(order.status)
  if (order.status === 'completed') return `${label} ${time(order.changedAt)}${terms(order)}.`
  return `${label}${terms(order) || ` since ${time(order.placedAt)}`}.`
}

function done(action: Action, name: string, order: Order): string {
  if (action === 'reserve') return `${brief(name)} is reserved${terms(order)}.`
  return `${brief(name)} is ${action === 'sell' ? 'sold' : 'available again'}.`
}
