// The form that adds an animal. The draft stays until the animal is added; each problem is shown at its field; when a
// response was lost, the next attempt sends the same Idempotency-Key, which adds the animal at most once.

import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { Dialog } from './dialog.tsx'
import { type Draft, EMPTY_DRAFT, FIELDS, isEmpty, toNewPet, withAttempt } from './draft.ts'
import { DraftFields } from './draft-fields.tsx'
import { toFailure } from './failures.ts'
import { NO_PROBLEMS, type Problems, toProblems } from './field-problems.ts'
import { Notice } from './notice.tsx'

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
  const { problems, setProblems, report } = useProblems(form)
  /** Why there was no response: the animal may or may not have been added. */
  const [unknown, setUnknown] = useState('')
  /** The dialog was opened with entries. */
  const [kept, setKept] = useState(false)

  useLayoutEffect(() => {
    setKept(!isEmpty(draft))
    if (open) form.current?.querySelector<HTMLInputElement>('[name="name"]')?.focus()
  }, [open])

  /** A problem goes when its field is edited. */
  function edit(change: Partial<Draft>): void {
    setDraft({ ...draft, ...change })
    const fields = { ...problems.fields }
    for (const field of FIELDS) if (field in change) delete fields[field]
    setProblems({ ...problems, fields })
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
        <Messages {...{ kept, unknown }} other={problems.other} />
        <DraftFields {...{ draft, edit }} problems={problems.fields} />
        <Buttons {...{ sending, unknown }} clear={isEmpty(draft) ? undefined : clear} />
      </form>
    </Dialog>
  )
}

/** The problems that were reported last; each report moves the focus to the first field that has one. */
function useProblems(form: RefObject<HTMLFormElement | null>) {
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  const [reports, setReports] = useState(0)
  useLayoutEffect(() => {
    const first = FIELDS.find((field) => problems.fields[field])
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }, [reports])

  function report(message: string): void {
    setProblems(toProblems(message))
    setReports((before) => before + 1)
  }
  return { problems, setProblems, report }
}

/** `kept`: the dialog was opened with entries. `unknown`: why there was no response. */
function Messages({ kept, unknown, other }: { kept: boolean; unknown: string; other: string }) {
  return (
    <>
      {kept && <p class="hint">These entries were kept from before.</p>}
      {unknown && (
        <Notice kind="warning" title={unknown}>
          The animal may have been added. Try again without changes: it is never added twice.
        </Notice>
      )}
      {other && (
        <Notice kind="error" title="It was not added.">
          {other}
        </Notice>
      )}
    </>
  )
}

interface ButtonsProps {
  sending: boolean
  unknown: string
  /** `undefined` where there is nothing to clear. */
  clear: (() => void) | undefined
}

function Buttons({ sending, unknown, clear }: ButtonsProps) {
  return (
    <div class="dialog-actions">
      {clear && (
        <button type="button" class="quiet" onClick={clear}>
          Clear
        </button>
      )}
      <button type="submit" class="primary" aria-disabled={sending}>
        {sending ? 'Adding…' : unknown ? 'Try again' : 'Add animal'}
      </button>
    </div>
  )
}
