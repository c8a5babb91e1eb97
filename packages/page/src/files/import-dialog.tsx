// Adding the animals of a CSV file: all its rows are shown before anything is added, what is wrong is mended in place or left out, and what was
// added can be looked at afterwards.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { AnimalsLink } from '../links.tsx'
import { toIdRanges } from '../list/id-ranges.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { CloseButton } from '../parts/close-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { number } from '../phrases.ts'
import { ImportTable } from './import-table.tsx'
import { Ended, Running } from './running.tsx'
import { type Import, useImport } from './use-import.ts'

interface ImportDialogProps {
  client: PetstoreClient
  open: boolean
  setOpen: (open: boolean) => void
  onAdded: () => void
}

export function ImportDialog({ client, open, setOpen, onAdded }: ImportDialogProps) {
  const importing = useImport(client, onAdded)
  const { file, rows, counts, doing, ended, problem } = importing
  const announce = useAnnounce()
  useEffect(() => {
    if (ended) announce(outcomeOf(importing))
  }, [ended])
  const body = useRef<HTMLDivElement>(null)
  // What is to be done next: the first mistake, or all is well.
  useEffect(() => {
    const next =
      body.current?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? body.current?.querySelector('.primary')
    if (rows) (next as HTMLElement | null)?.focus()
  }, [rows])
  useDroppedFile((file) => {
    setOpen(true)
    importing.choose(file)
  })
  // The rest of the page changes often meanwhile; a table of a file takes long to compare.
  return useMemo(() => {
    const show = (
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Open
      </button>
    )
    const isWhole = counts.wrong + counts.ready + counts['left out'] === 0
    return (
      <>
        {doing === 'adding' && <Progress {...{ importing }}>{show}</Progress>}
        {ended && (
          <Ended kind={problem ? 'error' : 'done'} title={`${file?.name}: ${outcomeOf(importing)}`}>
            {!isWhole && show}
            <Added {...{ importing }} style="button small" onFollow={isWhole ? importing.close : undefined}>
              Show them
            </Added>
            <CloseButton onClose={importing.close} />
          </Ended>
        )}
        <Dialog id="import-title" title="Import animals" wide={rows !== undefined} open={open} setOpen={setOpen}>
          <div ref={body} class="dialog-body">
            <Choice {...{ importing }} />
            {problem && <Notice kind="error" title={problem} />}
            {rows && !doing && !ended && <p>{contentsOf(importing)}</p>}
            {rows && doing === 'adding' && <Progress {...{ importing }} />}
            {ended && <p>{outcomeOf(importing)}</p>}
            {open && rows && <ImportTable importing={{ ...importing, rows }} />}
            <div class="dialog-actions">
              {ended && (
                <Added {...{ importing }} style="button" onFollow={() => setOpen(false)}>
                  Show what was added
                </Added>
              )}
              {ended && counts.present > 0 && (
                <button type="button" onClick={importing.addAgain}>
                  Add {number(counts.present)} again
                </button>
              )}
              <button type="button" onClick={() => setOpen(false)}>
                {doing === 'adding' ? 'Go on meanwhile' : 'Close'}
              </button>
              {counts.ready > 0 && doing !== 'adding' && (
                <button type="button" class="primary" onClick={importing.add}>
                  Add {number(counts.ready)}
                </button>
              )}
            </div>
          </div>
        </Dialog>
      </>
    )
  }, [importing, open])
}

/** The file, however it is chosen. The same one is read again. */
function Choice({ importing: { file, fromExcel, doing, choose } }: { importing: Import }) {
  const busy = doing === 'adding'
  return (
    <>
      <div class="field">
        <input
          id="import-file"
          class="visually-hidden"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          disabled={busy}
          aria-describedby="import-hint"
          onChange={({ currentTarget }) => {
            choose(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
        <label for="import-file" class="button">
          {doing === 'reading' ? 'Reading…' : file ? 'Choose another CSV file…' : 'Choose a CSV file…'}
        </label>
        {!file && (
          <p id="import-hint" class="hint">
            Or drop it on the page. It has the columns name, categoryId and, if you like, status. Spreadsheets can save
            one as “CSV UTF-8”.
          </p>
        )}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={fromExcel}
          disabled={busy}
          onChange={({ currentTarget }) => choose(file, currentTarget.checked)}
        />{' '}
        It was exported for Excel: take off the apostrophe before =, +, -, @ and '
      </label>
    </>
  )
}

function Progress({ importing, children }: { importing: Import; children?: ComponentChildren }) {
  const { file, rows = [], counts } = importing
  const total = rows.length - counts.wrong - counts['left out']
  return (
    <Running
      title={`Importing ${file?.name}: ${number(total - counts.ready)} of ${number(total)}`}
      done={total - counts.ready}
      total={total}
    >
      {children}
      <button type="button" onClick={importing.cancel}>
        Cancel
      </button>
    </Running>
  )
}

interface AddedProps {
  importing: Import
  style: string
  onFollow: (() => void) | undefined
  children: ComponentChildren
}

/** Leads to what was added. */
function Added({ importing: { rows = [] }, children, style, onFollow }: AddedProps) {
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return null
  return (
    <AnimalsLink class={style} only={{ ids: toIdRanges(ids), limit: PAGE_MAX }} onFollow={onFollow}>
      {children}
    </AnimalsLink>
  )
}

function contentsOf({ file, rows = [], counts: { wrong } }: Import): string {
  const all = `${file?.name} has ${rows.length === 1 ? '1 row' : `${number(rows.length)} rows`}`
  if (wrong === 0) return `${all}.`
  return `${all}, ${withMistakes(wrong)}. Mend ${wrong === 1 ? 'it' : 'them'} here, or add the others.`
}

function withMistakes(rows: number): string {
  return rows === 1 ? '1 with a mistake' : `${number(rows)} with mistakes`
}

function outcomeOf({ counts }: Import): string {
  const { added, present, wrong, ready } = counts
  const parts = [
    `${number(added)} added`,
    present > 0 && `${number(present)} ${present === 1 ? 'was' : 'were'} there already: nothing is added twice`,
    wrong > 0 && withMistakes(wrong),
    counts['left out'] > 0 && `${number(counts['left out'])} left out`,
    ready > 0 && `${number(ready)} not yet`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

/** Wherever on the page it is dropped: otherwise the browser would leave the page for it. */
function useDroppedFile(take: (file: File) => void): void {
  useLayoutEffect(() => {
    window.ondragover = window.ondrop = (event) => {
      const { files, types } = event.dataTransfer ?? {}
      if (!types?.includes('Files')) return
      event.preventDefault()
      if (event.type === 'drop' && files?.[0]) take(files[0])
    }
    return () => {
      window.ondragover = window.ondrop = null
    }
  })
}
