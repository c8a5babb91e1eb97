// Labels of animals, and QR codes for scanners and phones. It is loaded with the QR library when something is printed.

import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { encode } from 'uqr'
import type { Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { addressOf, type RecordId } from '../address.ts'
import { readPets } from '../animal/by-id.ts'
import { FIELDS } from '../animal/fields.ts'
import { toFailure } from '../failures.ts'
import { names } from '../names.ts'
import { useBusy } from '../parts/busy.ts'
import { FormDialog, type Opening } from '../parts/dialog.tsx'
import { Name } from '../parts/name.tsx'
import { Notice } from '../parts/notice.tsx'
import { SelectField } from '../parts/select-field.tsx'
import { number } from '../phrases.ts'
import { useSessionState } from '../session/session-state.ts'

const LABELS_ON = { roll: 1, sheet: 24 }
type Paper = keyof typeof LABELS_ON
const PAPERS = [
  ['roll', 'Roll, 50 × 30 mm'],
  ['sheet', 'A4, 24 of 70 × 37 mm'],
] as const

/** Codes take a few milliseconds each, so the page responds in between. */
const CODES_AT_ONCE = 10
const LABELS_MAX = 1_000

/** The address under which the page was opened, with the record. The code has the quiet zone of ISO 18004. */
export function codeOf(record: RecordId, page: string) {
  const { data, size } = encode(new URL(addressOf(record), page).href, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { path, size }
}
type CodeProps = ReturnType<typeof codeOf>

export function RecordCode({ kind, id }: RecordId) {
  return <Code {...useMemo(() => codeOf({ kind, id }, location.href), [kind, id])} />
}

function Code({ path, size }: CodeProps) {
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

export function pagesOf<Label>(labels: readonly Label[], paper: Paper): Label[][] {
  const size = LABELS_ON[paper]
  return Array.from({ length: Math.ceil(labels.length / size) }, (_, n) => labels.slice(n * size, (n + 1) * size))
}

function Labels({ labels, paper }: { labels: readonly { pet: Pet; code: CodeProps }[]; paper: Paper }) {
  return (
    <div class={`labels-${paper}`}>
      {pagesOf(labels, paper).map((page, n) => (
        <div key={n} class="label-page">
          {page.map(({ pet, code }) => (
            <div key={String(pet.id)} class="label">
              <Code {...code} />
              <div>
                <strong>
                  <Name name={pet.name} />
                </strong>
                <p>
                  <Name name={categoryOf(pet)} />
                </p>
                <p translate={false}>Id {String(pet.id)}</p>
              </div>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

export function categoryOf({ categoryId }: Pick<Pet, 'categoryId'>): string {
  const name = names().nameOf(categoryId)
  return name === String(categoryId) ? `${FIELDS.categoryId.label} ${name}` : name
}

interface LabelDialogProps extends Opening {
  client: PetstoreClient
  ids: readonly bigint[]
  print: (content: ComponentChildren) => void
}

export function LabelDialog({ client, ids, print, open, setOpen }: LabelDialogProps) {
  const [paper, setPaper] = useSessionState<Paper>('petstore.labels', 'roll')
  const [problem, setProblem] = useState('')
  const [busy, once] = useBusy()
  const aborter = useRef<AbortController>(undefined)

  function close(): void {
    aborter.current?.abort()
    setOpen(false)
  }

  /** Reads the animals again, because the rows of an import or a selection can be old. Deleted ones get no label. */
  async function read(signal: AbortSignal) {
    const pets = (await readPets(client, ids, { signal })).sort((a, b) => (a.id < b.id ? -1 : 1))
    const labels = []
    for (const [n, pet] of pets.entries()) {
      if (n % CODES_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve))
      signal.throwIfAborted()
      labels.push({ pet, code: codeOf({ kind: 'animal', id: pet.id }, location.href) })
    }
    return labels
  }

  const tooMany = ids.length > LABELS_MAX && `Print at most ${number(LABELS_MAX)} labels at a time.`
  const submit = () =>
    once(async () => {
      setProblem('')
      aborter.current = new AbortController()
      const { signal } = aborter.current
      try {
        const labels = await read(signal)
        if (labels.length === 0) return setProblem('There is nothing to print, because another till deleted all of it.')
        setOpen(false)
        print(<Labels {...{ labels, paper }} />)
      } catch (error) {
        if (!signal.aborted) setProblem(`Nothing was printed. ${toFailure(error).message}`)
      }
    })
  return (
    <FormDialog
      id="labels-title"
      title={ids.length === 1 ? 'Print a label' : `Print ${number(ids.length)} labels`}
      action={tooMany ? undefined : busy ? 'Preparing…' : 'Print'}
      {...{ open, busy }}
      setOpen={close}
      submit={() => void submit()}
    >
      {(tooMany || problem) && <Notice kind="error" title={tooMany || problem} />}
      <SelectField id="paper" label="Paper" options={PAPERS} value={paper} onChange={setPaper} />
    </FormDialog>
  )
}
