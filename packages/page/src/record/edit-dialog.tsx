// Edits an animal or an order. The dialog keeps only the fields that the person changed; all others follow the store.
// Changes of another till are therefore never undone, and are shown next to the person's own.

import { useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { NO_PROBLEMS, type Problems, toProblems } from '../animal/field-problems.ts'
import { FIELDS, TYPED_FIELDS, type TypedField } from '../animal/fields.ts'
import { type Failure, toFailure } from '../failures.ts'
import { HoldField } from '../orders/hold-field.tsx'
import type { Undo } from '../orders/undo.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { brief } from '../phrases.ts'
import {
  differing,
  type Field,
  type Fields,
  fieldLabel,
  fieldsOf,
  inWords,
  NOTHING,
  type Saved,
  save,
} from './edits.ts'
import type { RecordData } from './history.ts'

export interface RecordDialogProps extends Opening {
  client: PetstoreClient
  read: RecordData
  /** Reads the record again, because another till changed it. */
  reload: () => void
  done: (sentence: string, undo?: Undo) => void
}

export function EditDialog({ client, read, reload, open, setOpen, done }: RecordDialogProps) {
  const { animal, order } = read
  const { busy, problems, submit } = useSaving({ reload, setOpen, done }, () => save(client, read, mine))
  const [opened] = useState(() => fieldsOf(read))
  const [edits, setEdits] = useState<Partial<Fields>>({})
  const now = fieldsOf(read)
  function edit(change: Partial<Fields>): void {
    const wanted = { ...now, ...edits, ...change }
    setEdits(Object.fromEntries(differing(read, now, wanted).map((field) => [field, wanted[field]])))
  }
  const mine = { ...now, ...edits }
  const both = differing(read, now, mine)
  const theirs = differing(read, opened, now).filter((field) => both.includes(field) || !(field in edits))
  const text = (field: TypedField | 'reference') => ({
    id: `edit-${field}`,
    label: fieldLabel(field),
    value: mine[field],
    setText: (text: string) => edit({ [field]: text }),
    problem: problems.fields[field as keyof Problems['fields']],
  })

  return (
    <FormDialog
      id="edit-title"
      title={`Edit ${order ? `order ${order.id}` : brief(animal.pet.name)}`}
      action={busy ? 'Saving…' : 'Save'}
      {...{ open, setOpen, submit, busy }}
    >
      {!(problems.isConflict && theirs.length > 0) && <SavingProblem {...problems} />}
      {!busy && theirs.length > 0 && (
        <Versions
          title={`${problems.isConflict ? `${NOTHING} ` : ''}Another till has changed this.`}
          {...{ now, mine, both, theirs }}
          takeTheirs={(field) => edit({ [field]: now[field] })}
        />
      )}
      {order ? (
        <>
          <TextField {...text('reference')} dir="auto" maxLength={TEXT_LENGTH_MAX} />
          <HoldField {...mine.end} setEnd={(end) => edit({ end })} />
        </>
      ) : (
        TYPED_FIELDS.map((field) => <TextField key={field} {...text(field)} {...FIELDS[field].typed?.input} />)
      )}
    </FormDialog>
  )
}

type SavingProblems = Problems & { title: string; isConflict: boolean }
const NONE: SavingProblems = { ...NO_PROBLEMS, title: NOTHING, isConflict: false }

/** If `save` rejects, the dialog reopens and shows why. */
export function useSaving(
  { reload, setOpen, done }: Pick<RecordDialogProps, 'reload' | 'setOpen' | 'done'>,
  save: () => Promise<Saved>,
) {
  const [busy, once] = useBusy()
  const [problems, setProblems] = useState(NONE)
  async function attempt(): Promise<void> {
    setProblems(NONE)
    try {
      const { sentence, undo } = await save()
      setOpen(false)
      done(sentence, undo)
    } catch (error) {
      const {
        code = '',
        message,
        mayBeDone,
      }: Partial<Failure> & { message: string } = error instanceof RangeError ? error : toFailure(error)
      const isConflict = code === 'precondition_failed'
      const title = mayBeDone ? 'It may have been saved. Check before you try again.' : NOTHING
      setProblems({ ...toProblems(isConflict ? 'Another till has just changed it.' : message), title, isConflict })
      setOpen(true)
      if (isConflict) reload()
    }
  }
  return { busy, problems, submit: () => void once(attempt) }
}

export function SavingProblem({ title, other }: SavingProblems) {
  return other ? <Notice kind="error" title={title} text={other} /> : null
}

interface VersionsProps {
  title: string
  now: Fields
  mine: Fields
  /** Fields in which `now` and `mine` differ. */
  both: readonly Field[]
  /** Fields that another till changed since the dialog opened, except to the same value. */
  theirs: readonly Field[]
  takeTheirs: (field: Field) => void
}

function Versions({ title, now, mine, both, theirs, takeTheirs }: VersionsProps) {
  return (
    <Notice
      kind="warning"
      title={title}
      text={
        <table class="versions">
          <thead>
            <tr>
              <td />
              <th scope="col">Theirs</th>
              <th scope="col">Mine</th>
            </tr>
          </thead>
          <tbody>
            {theirs.map((field) => (
              <tr key={field}>
                <th scope="row">{fieldLabel(field)}</th>
                <td>
                  {inWords(now, field)}
                  {both.includes(field) && <Button text="Use theirs" class="small" onClick={() => takeTheirs(field)} />}
                </td>
                <td>{both.includes(field) ? inWords(mine, field) : <span class="muted">as theirs</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      }
    />
  )
}
