// What can be corrected of an animal or of an order on its page: the buttons, and the dialog of the one that was pressed.

import { useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { HOLDING } from '../../../service/src/domain/order-transitions.ts'
import { useBusy } from '../busy.ts'
import { Dialog } from '../dialog.tsx'
import { parseInteger } from '../draft.ts'
import { type Failure, toFailure } from '../failures.ts'
import { NO_PROBLEMS, type Problems, toProblems } from '../field-problems.ts'
import { ends, type Hold, HoldField, localTime } from '../hold-field.tsx'
import { Notice } from '../notice.tsx'
import { brief } from '../phrases.ts'
import { TextField } from '../text-field.tsx'
import type { Read } from './animal.ts'

const LABELS = { edit: 'Edit', free: 'Make available', delete: 'Delete', change: 'Edit' }
/** The button that ends the dialog. */
const SUBMIT_LABELS = { ...LABELS, edit: 'Save', change: 'Save' }
const NOTHING = 'Nothing was changed.'
type Correction = keyof typeof LABELS

interface CorrectionsProps {
  client: PetstoreClient
  read: Read
  onCorrected: (sentence: string) => void
}

export function Corrections({ client, read, onCorrected }: CorrectionsProps) {
  /** Each opening has a `number`, and so a dialog of its own. */
  const [task, setTask] = useState<{ correction: Correction; number: number }>()
  const [open, setOpen] = useState(false)
  function done(sentence: string): void {
    setOpen(false)
    onCorrected(sentence)
  }
  return (
    <>
      {correctionsOf(read).map((correction) => (
        <button
          key={correction}
          type="button"
          onClick={() => {
            setTask({ correction, number: (task?.number ?? 0) + 1 })
            setOpen(true)
          }}
        >
          {LABELS[correction]}
        </button>
      ))}
      {task && <CorrectionDialog key={task.number} {...{ ...task, client, read, open, setOpen, done }} />}
    </>
  )
}

/** Only those that the service would not refuse. */
function correctionsOf({ animal: { pet, deleted }, orders, order }: Read): Correction[] {
  if (order) return order.status === 'pending' ? ['change'] : []
  if (deleted) return []
  const held = orders.some(({ status }) => HOLDING.includes(status))
  return [
    'edit' as const,
    ...(pet.status !== 'available' && !held ? (['free'] as const) : []),
    ...(orders.length === 0 ? (['delete'] as const) : []),
  ]
}

interface CorrectionDialogProps {
  correction: Correction
  client: PetstoreClient
  read: Read
  open: boolean
  setOpen: (open: boolean) => void
  done: (sentence: string) => void
}

function CorrectionDialog({ correction, client, read, open, setOpen, done }: CorrectionDialogProps) {
  const { pet } = read.animal
  const [busy, once] = useBusy()
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  const [mayBeDone, setMayBeDone] = useState(false)
  const [entries, setEntries] = useState(() => entriesOf(pet, read.order))
  const text = (field: 'name' | 'categoryId' | 'reference') => ({
    id: `correct-${field}`,
    value: entries[field],
    setText: (text: string) => setEntries({ ...entries, [field]: text }),
    problem: problems.fields[field as keyof Problems['fields']],
  })

  function submit(event: Event): void {
    event.preventDefault()
    once(async () => {
      try {
        done(await correct(correction, client, read, entries))
      } catch (error) {
        const { message, mayBeDone = false }: Pick<Failure, 'message' | 'mayBeDone'> =
          error instanceof RangeError ? error : toFailure(error)
        setMayBeDone(mayBeDone)
        setProblems(toProblems(message))
      }
    })
  }

  const name = brief(pet.name)
  return (
    <Dialog
      id="correction-title"
      title={`${LABELS[correction]} ${read.order ? `order ${read.order.id}` : name}`}
      open={open}
      setOpen={setOpen}
    >
      <form onSubmit={submit} noValidate>
        {problems.other && (
          <Notice kind="error" title={mayBeDone ? 'It may have been changed: look before you try again.' : NOTHING}>
            {problems.other}
          </Notice>
        )}
        {correction === 'edit' && (
          <>
            <TextField {...text('name')} label="Name" dir="auto" />
            <TextField {...text('categoryId')} label="Category" class="mono" inputMode="numeric" />
          </>
        )}
        {correction === 'change' && (
          <>
            <TextField {...text('reference')} label="For whom" dir="auto" maxLength={255} />
            <HoldField
              {...entries}
              setHold={(hold) => setEntries({ ...entries, hold })}
              setUntil={(until) => setEntries({ ...entries, until })}
            />
          </>
        )}
        {correction === 'free' && <p>No order holds {name}. It can be reserved and sold then.</p>}
        {correction === 'delete' && (
          <p>
            For an animal that was added by mistake. {name} leaves the lists and the counts; its id is never used again.
          </p>
        )}
        <div class="dialog-actions">
          <button type="submit" class="primary" aria-disabled={busy}>
            {busy ? 'Saving…' : SUBMIT_LABELS[correction]}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface Entries {
  name: string
  categoryId: string
  reference: string
  hold: Hold
  until: string
}

function entriesOf(pet: Pet, order: Order | undefined): Entries {
  return {
    name: pet.name,
    categoryId: String(pet.categoryId),
    reference: order?.reference ?? '',
    hold: order?.expiresAt ? 'other' : 'open',
    until: order?.expiresAt ? localTime(order.expiresAt) : '',
  }
}

/** Sends only what was changed: somebody else may have corrected the rest. Resolves with what was done. */
async function correct(
  correction: Correction,
  client: PetstoreClient,
  { animal: { pet }, order }: Read,
  entries: Entries,
): Promise<string> {
  const name = brief(pet.name)
  if (correction === 'delete') {
    await client.deletePet(pet.id)
    return `${name} is deleted.`
  }
  if (correction === 'free') {
    await client.updatePet(pet.id, { status: 'available' })
    return `${name} is available.`
  }
  const before = entriesOf(pet, order)
  if (order) {
    const { reference, hold, until } = entries
    if (hold === 'other' && !until) throw new RangeError('Choose a day and a time.')
    if (JSON.stringify(entries) === JSON.stringify(before)) return NOTHING
    await client.updateOrder(order.id, {
      ...(reference.trim() !== before.reference ? { reference: reference.trim() || null } : {}),
      ...(hold !== before.hold || until !== before.until ? { expiresAt: ends(hold, until).expiresAt ?? null } : {}),
    })
    return `Order ${order.id} is saved.`
  }
  const categoryId = parseInteger(entries.categoryId)
  if (categoryId === undefined) throw new RangeError('categoryId must be a whole number.')
  if (JSON.stringify(entries) === JSON.stringify(before)) return NOTHING
  await client.updatePet(pet.id, {
    ...(entries.name !== before.name ? { name: entries.name } : {}),
    ...(entries.categoryId !== before.categoryId ? { categoryId } : {}),
  })
  return `${brief(entries.name)} is saved.`
}
