// The form that adds an animal. It keeps the draft until the animal is added, shows each problem at its field, and
// retries a lost request with the same Idempotency-Key, so that the animal is added at most once.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { toFailure } from '../failures.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { TextField } from '../parts/text-field.tsx'
import { brief } from '../phrases.ts'
import { type Draft, EMPTY_DRAFT, isEmpty, toNewPet, withAttempt } from './draft.ts'
import { NO_PROBLEMS, type Problems, toProblems } from './field-problems.ts'
import { FIELD_NAMES, FIELDS, type Field, TYPED_FIELDS } from './fields.ts'
import { STATUSES } from './status-labels.ts'

interface AddDialogProps extends Opening {
  client: PetstoreClient
  draft: Draft
  setDraft: (draft: Draft) => void
  onAdded: (pet: Pet) => void
}

export function AddDialog({ client, open, setOpen, draft, setDraft, onAdded }: AddDialogProps) {
  const [sending, once] = useBusy()
  const { problems, setProblems, report } = useProblems()
  /** Why the outcome of the last request is unknown. */
  const [unknown, setUnknown] = useState('')
  const latest = useRef(draft)
  latest.current = draft
  /** The dialog was opened with a draft. */
  const [isRestored, setIsRestored] = useState(false)
  /** The last animal that was added with *Add another*. */
  const [last, setLast] = useState<Pet>()

  useLayoutEffect(() => {
    setIsRestored(!isEmpty(draft))
    setLast(undefined)
  }, [open])

  /** A category that *Add another* kept is not a draft. */
  function changeOpen(open: boolean): void {
    if (!open && last && isEmpty({ ...draft, categoryId: '' })) setDraft(EMPTY_DRAFT)
    setOpen(open)
  }

  /** Editing a field removes its problem. */
  function edit(change: Partial<Draft>): void {
    setDraft({ ...draft, ...change })
    const fields = { ...problems.fields }
    for (const field of FIELD_NAMES) if (field in change) delete fields[field]
    setProblems({ ...problems, fields })
  }

  async function add(another: boolean): Promise<void> {
    setUnknown('')
    const pet = toNewPet(draft)
    if ('problem' in pet) return report(pet.problem)
    setProblems(NO_PROBLEMS)
    const trying = withAttempt(draft)
    setDraft(trying)
    try {
      const added = await client.createPet(pet, { idempotencyKey: trying.attempt.key })
      const kept = another ? { ...EMPTY_DRAFT, categoryId: draft.categoryId } : EMPTY_DRAFT
      // Text that was typed since the request began is a new draft.
      const isTyped = (field: Field) => latest.current[field] !== draft[field]
      setDraft({
        ...kept,
        ...Object.fromEntries(FIELD_NAMES.filter(isTyped).map((field) => [field, latest.current[field]])),
      })
      setLast(added)
      setIsRestored(false)
      if (another) focus('name')
      else setOpen(false)
      onAdded(added)
    } catch (error) {
      const { kind, message } = toFailure(error)
      // Reopens the dialog if it was closed, so that the error is seen.
      setOpen(true)
      if (kind === 'unavailable') setUnknown(message)
      else report(message)
    }
  }

  function clear(): void {
    setDraft(EMPTY_DRAFT)
    setProblems(NO_PROBLEMS)
    setUnknown('')
    setIsRestored(false)
  }

  return (
    <FormDialog
      id="add-title"
      title="Add an animal"
      {...{ open }}
      setOpen={changeOpen}
      submit={() => once(() => add(false))}
      action={sending ? 'Adding…' : unknown ? 'Try again' : 'Add animal'}
      busy={sending}
      others={
        <>
          {!isEmpty(draft) && <Button text="Clear" class="quiet" onClick={clear} />}
          <Button text="Add another" onClick={() => once(() => add(true))} aria-disabled={sending} />
        </>
      }
    >
      {last && <p class="hint">{brief(last.name)} was added. The category is kept for the next one.</p>}
      {isRestored && <p class="hint">Draft restored.</p>}
      {unknown && (
        <Notice
          kind="warning"
          title={unknown}
          text="The animal may have been added. Try again without changes: it is never added twice."
        />
      )}
      {problems.other && <Notice kind="error" title="It was not added." text={problems.other} />}
      <DraftFields {...{ draft, edit }} problems={problems.fields} />
    </FormDialog>
  )
}

interface DraftFieldsProps {
  draft: Draft
  edit: (change: Partial<Draft>) => void
  problems: Problems['fields']
}

function DraftFields({ draft, edit, problems }: DraftFieldsProps) {
  return (
    <>
      {TYPED_FIELDS.map((field) => (
        <TextField
          key={field}
          id={`add-${field}`}
          name={field}
          label={FIELDS[field].label}
          hint={FIELDS[field].typed?.hint}
          {...FIELDS[field].typed?.input}
          required
          value={draft[field]}
          setText={(text) => edit({ [field]: text })}
          problem={problems[field]}
        />
      ))}
      <details class="field" open={draft.status !== EMPTY_DRAFT.status}>
        <summary>Already reserved or sold?</summary>
        <RadioGroup
          legend={FIELDS.status.label}
          name="status"
          options={STATUSES}
          value={draft.status}
          onChange={(status) => edit({ status })}
        />
        <p class="hint">
          Only for an animal that was reserved or sold elsewhere. It has no order here, so this page can only make it
          available again.
        </p>
      </details>
    </>
  )
}

/** The last reported problems; each report focuses the first field that has one. */
function useProblems() {
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  const [reports, setReports] = useState(0)
  useLayoutEffect(() => {
    const first = FIELD_NAMES.find((field) => problems.fields[field])
    if (first) focus(first)
  }, [reports])

  function report(message: string): void {
    setProblems(toProblems(message))
    setReports((before) => before + 1)
  }
  return { problems, setProblems, report }
}

function focus(field: Field): void {
  document.querySelector<HTMLInputElement>(`dialog[open] [name="${field}"]`)?.focus()
}
