// The corrections that the page of an animal or an order offers, and their dialogs.

import { useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { HOLDING } from '../../../service/src/domain/order-transitions.ts'
import { deleteShown } from '../animal/preconditions.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { brief } from '../phrases.ts'
import type { Read } from './animal.ts'
import { EditDialog, type RecordDialogProps, SavingProblem, useSaving } from './edit-dialog.tsx'

const LABELS = { edit: 'Edit', free: 'Make available', delete: 'Delete' }
type Correction = keyof typeof LABELS

interface CorrectionsProps {
  client: PetstoreClient
  read: Read
  reload: () => void
  onCorrected: (sentence: string) => void
  onDeleted: (sentence: string) => void
}

export function Corrections({ onCorrected, onDeleted, ...service }: CorrectionsProps) {
  /** `number` gives each opening a new dialog. */
  const [task, setTask] = useState<{ correction: Correction; number: number }>()
  const [open, setOpen] = useState(false)
  function done(sentence: string): void {
    setOpen(false)
    if (task?.correction === 'delete') onDeleted(sentence)
    else onCorrected(sentence)
  }
  return (
    <>
      {correctionsOf(service.read).map((correction) => (
        <Button
          text={LABELS[correction]}
          key={correction}
          onClick={() => {
            setTask({ correction, number: (task?.number ?? 0) + 1 })
            setOpen(true)
          }}
        />
      ))}
      {task?.correction === 'edit' && <EditDialog key={task.number} {...{ ...service, open, setOpen, done }} />}
      {task && task.correction !== 'edit' && (
        <ConfirmDialog key={task.number} {...{ ...service, open, setOpen, done }} correction={task.correction} />
      )}
    </>
  )
}

/** Returns only corrections that the service accepts. */
export function correctionsOf({ animal: { pet, deleted }, orders, order }: Read): Correction[] {
  if (order) return order.status === 'pending' ? ['edit'] : []
  if (deleted) return []
  const held = orders.some(({ status }) => HOLDING.includes(status))
  return [
    'edit' as const,
    ...(pet.status !== 'available' && !held ? (['free'] as const) : []),
    ...(orders.length === 0 ? (['delete'] as const) : []),
  ]
}

interface ConfirmDialogProps extends RecordDialogProps {
  correction: Exclude<Correction, 'edit'>
}

function ConfirmDialog({ correction, client, read, open, setOpen, ...props }: ConfirmDialogProps) {
  const { pet } = read.animal
  const name = brief(pet.name)
  const { busy, problems, submit } = useSaving({ ...props, setOpen }, async () => {
    if (correction === 'free') await client.updatePet(pet.id, { status: 'available' })
    else await deleteShown(client, pet)
    return `${name} is ${correction === 'free' ? 'available' : 'deleted'}.`
  })

  return (
    <FormDialog
      id="correction-title"
      title={`${LABELS[correction]} ${name}`}
      action={busy ? 'Saving…' : LABELS[correction]}
      danger={correction === 'delete'}
      {...{ open, setOpen, submit, busy }}
    >
      <SavingProblem {...problems} />
      {correction === 'free' && <p>No order holds {name}. It can then be reserved and sold.</p>}
      {correction === 'delete' && <p>For an animal that was added by mistake. This cannot be undone.</p>}
    </FormDialog>
  )
}
