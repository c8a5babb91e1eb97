// The corrections that the page of an animal or an order offers, and their dialogs.

import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { HOLDING } from '../../../service/src/domain/order-transitions.ts'
import { deleteShown } from '../animal/preconditions.ts'
import type { Undo } from '../orders/undo.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, useDialog } from '../parts/dialog.tsx'
import { brief } from '../phrases.ts'
import { EditDialog, type RecordDialogProps, SavingProblem, useSaving } from './edit-dialog.tsx'
import type { RecordData } from './history.ts'

const LABELS = { edit: 'Edit', makeAvailable: 'Make available', delete: 'Delete' }
type Correction = keyof typeof LABELS

interface CorrectionsProps {
  client: PetstoreClient
  read: RecordData
  reload: () => void
  onCorrected: (sentence: string, undo?: Undo) => void
  onDeleted: (sentence: string) => void
}

export function Corrections({ onCorrected, onDeleted, ...service }: CorrectionsProps) {
  const { task, number, start, ...opening } = useDialog<Correction>()
  const done = task === 'delete' ? onDeleted : onCorrected
  return (
    <>
      {correctionsOf(service.read).map((correction) => (
        <Button text={LABELS[correction]} key={correction} class="quiet" onClick={() => start(correction)} />
      ))}
      {task === 'edit' && <EditDialog key={number} {...{ ...service, ...opening, done }} />}
      {task && task !== 'edit' && (
        <ConfirmDialog key={number} {...{ ...service, ...opening, done }} correction={task} />
      )}
    </>
  )
}

/** Returns only corrections that the service accepts. */
export function correctionsOf({ animal: { pet, deleted }, orders, order }: RecordData): Correction[] {
  if (order) return order.status === 'pending' ? ['edit'] : []
  if (deleted) return []
  const held = orders.some(({ status }) => HOLDING.includes(status))
  return [
    'edit' as const,
    ...(pet.status !== 'available' && !held ? (['makeAvailable'] as const) : []),
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
    if (correction === 'makeAvailable') await client.updatePet(pet.id, { status: 'available' })
    else await deleteShown(client, pet)
    return { sentence: `${name} is ${correction === 'makeAvailable' ? 'available' : 'deleted'}.` }
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
      {correction === 'makeAvailable' && <p>No order holds {name}. It can then be reserved and sold.</p>}
      {correction === 'delete' && <p>For an animal that was added by mistake. This cannot be undone.</p>}
    </FormDialog>
  )
}
