// The form that adds an animal. The draft stays until the animal is added; each problem is shown at its field; when a
// response was lost, the next attempt sends the same Idempotency-Key, which adds the animal at most once.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { Dialog } from './dialog.tsx'
import { type Draft, EMPTY_DRAFT, FIELDS, isEmpty, LABELS, toNewPet, withAttempt } from './draft.ts'
import { toFailure } from './failures.ts'
import { NO_PROBLEMS, type Problems, toProblems } from './field-problems.ts'
import { Notice } from './notice.tsx'
import { RadioGroup } from './radio-group.tsx'
import { STATUSES } from './statuses.ts'
import { Problem, TextField } from './text-field.tsx'

interface AddDialogProps {
  client: PetstoreClient
  open: boolean
  setOpen: (open: boolean) => void
  draft: Draft
  setDraft: (draft: Draft) => void
  onAdded: (pet: Pet) => void
}

export function AddDialog({ client, open, setOpen, draft, setDraft, onAdded }: AddDialogProps) {
  const form = useRef<HTMLFormElement>(null)
  const [sending, setSending] = useState(false)
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  /** Why there was no response: the animal may or may not have been added. */
  const [unknown, setUnknown] = useState('')
  /** The dialog was opened with entries. */
  const [kept, setKept] = useState(false)
  const [submits, setSubmits] = useState(0)

  useLayoutEffect(() => {
    setKept(!isEmpty(draft))
    if (open) form.current?.querySelector<HTMLInputElement>('[name="name"]')?.focus()
  }, [open])

  useLayoutEffect(() => {
    const first = FIELDS.find((field) => problems.fields[field])
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }, [submits])

  /** A problem goes when its field is edited. */
  function edit(change: Partial<Draft>): void {
    setDraft({ ...draft, ...change })
    const fields = { ...problems.fields }
    for (const field of FIELDS) if (field in change) delete fields[field]
    setProblems({ ...problems, fields })
  }

  function report(message: string): void {
    setProblems(toProblems(message))
    setSubmits((before) => before + 1)
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (sending) return
    setUnknown('')
    const pet = toNewPet(draft)
    if ('problem' in pet) return report(pet.problem)
    setProblems(NO_PROBLEMS)
    const trying = withAttempt(draft)
    setDraft(trying)
    setSending(true)
    try {
      const added = await client.createPet(pet, { idempotencyKey: trying.attempt.key })
      setDraft(EMPTY_DRAFT)
      setOpen(false)
      onAdded(added)
    } catch (error) {
      const { kind, message } = toFailure(error)
      // The dialog may have been closed in the meantime, and the error must be seen.
      setOpen(true)
      if (kind === 'unavailable') setUnknown(message)
      else report(message)
    } finally {
      setSending(false)
    }
  }

  function clear(): void {
    setDraft(EMPTY_DRAFT)
    setProblems(NO_PROBLEMS)
    setUnknown('')
    setKept(false)
  }

  return (
    <Dialog id="add-title" title="Add an animal" open={open} setOpen={setOpen}>
      <form ref={form} onSubmit={submit} noValidate>
        {kept && <p class="hint">These entries were kept from before.</p>}
        {unknown && (
          <Notice kind="warning" title={unknown}>
            The animal may have been added. Try again without changes: it is never added twice.
          </Notice>
        )}
        {problems.other && (
          <Notice kind="error" title="It was not added.">
            {problems.other}
          </Notice>
        )}
        <TextField
          id="add-name"
          name="name"
          label={LABELS.name}
          dir="auto"
          required
          value={draft.name}
          setText={(name) => edit({ name })}
          problem={problems.fields.name}
        />
        <TextField
          id="add-category"
          name="categoryId"
          label={LABELS.categoryId}
          class="mono"
          inputMode="numeric"
          required
          value={draft.categoryId}
          setText={(categoryId) => edit({ categoryId })}
          problem={problems.fields.categoryId}
          hint="The category's number."
        />
        <div class="field">
          <RadioGroup
            legend={LABELS.status}
            name="status"
            options={STATUSES}
            value={draft.status}
            onChange={(status) => edit({ status })}
            problemId={problems.fields.status && 'add-status-problem'}
          />
          <Problem id="add-status" text={problems.fields.status} />
        </div>
        <div class="dialog-actions">
          {!isEmpty(draft) && (
            <button type="button" class="quiet" onClick={clear}>
              Clear
            </button>
          )}
          <button type="submit" class="primary" aria-disabled={sending}>
            {sending ? 'Adding…' : unknown ? 'Try again' : 'Add animal'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
