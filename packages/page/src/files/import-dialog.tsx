// Imports a CSV file: shows rows with mistakes before anything is added, to be fixed or skipped, and links to the
// added animals.

import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { FIELDS } from '../animal/fields.ts'
import { AnimalsLink } from '../links.tsx'
import { toIdRanges } from '../list/id-ranges.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, type Opening } from '../parts/dialog.tsx'
import { CloseButton, Notice } from '../parts/notice.tsx'
import { number } from '../phrases.ts'
import { ImportColumns } from './import-columns.tsx'
import { ImportTable } from './import-table.tsx'
import { ImportValues } from './import-values.tsx'
import type { Contents } from './rows.ts'
import { Running, WorkResult } from './running.tsx'
import { type Import, useImport } from './use-import.ts'

interface ImportDialogProps extends Opening {
  client: PetstoreClient
  /** Files that were dropped on the page. */
  dropped: readonly File[] | undefined
  onAdded: () => void
  onPrint: (ids: readonly bigint[]) => void
}

export function ImportDialog({ client, open, setOpen, dropped, onAdded, onPrint }: ImportDialogProps) {
  const importing = useImport(client, onAdded)
  const { name, contents, rows, counts, doing, ended, problem } = importing
  const announce = useAnnounce()
  useEffect(() => {
    if (ended) announce(outcomeOf(importing))
  }, [ended])
  const body = useRef<HTMLDivElement>(null)
  // Focuses the next step: a question about the columns, the first mistake, or the button that adds the rows.
  useEffect(() => {
    const next = ['details[open] select', '.import-values select', '[aria-invalid="true"]', '.primary']
      .map((selector) => body.current?.querySelector<HTMLElement>(selector))
      .find(Boolean)
    if (contents) next?.focus()
  }, [contents && importing.file])
  useEffect(() => {
    if (dropped) importing.choose(dropped)
  }, [dropped])
  // Memoized, because the page renders often during an import and the table of a file is slow to compare.
  return useMemo(() => {
    const show = <Button text="Open" class="small" onClick={() => setOpen(true)} />
    const isWhole = counts.wrong + counts.ready + counts.skipped === 0
    return (
      <>
        {doing === 'adding' && <Progress {...{ importing }}>{show}</Progress>}
        {ended && (
          <WorkResult kind={problem ? 'error' : 'done'} title={`${name}: ${outcomeOf(importing)}`}>
            {!isWhole && show}
            <Added {...{ importing, onPrint }} style="button small" onFollow={isWhole ? importing.close : undefined}>
              Show them
            </Added>
            <CloseButton onClose={importing.close} />
          </WorkResult>
        )}
        <Dialog id="import-title" title="Import animals" wide={contents !== undefined} open={open} setOpen={setOpen}>
          <div ref={body} class="dialog-body">
            <FileField {...{ importing }} />
            {problem && <Notice kind="error" title={problem} />}
            {contents && doing !== 'adding' && !ended && <ImportColumns {...{ importing, contents }} />}
            {contents && !doing && !ended && <ImportValues {...{ importing }} />}
            {contents && !doing && !ended && !problem && <p translate={false}>{contentsOf(importing)}</p>}
            {rows && doing === 'adding' && <Progress {...{ importing }} />}
            {ended && <p translate={false}>{outcomeOf(importing)}</p>}
            {open && <ImportTable {...{ importing }} />}
            <div class="dialog-actions">
              {ended && (
                <Added {...{ importing, onPrint }} style="button" onFollow={() => setOpen(false)}>
                  Show what was added
                </Added>
              )}
              {ended && counts.present > 0 && (
                <Button text={`Add ${number(counts.present)} again`} onClick={importing.addAgain} />
              )}
              <Button
                text={doing === 'adding' ? 'Continue in the background' : 'Close'}
                onClick={() => setOpen(false)}
              />
              {counts.ready > 0 && doing !== 'adding' && (
                <Button text={`Add ${number(counts.ready)}`} class="primary" onClick={importing.add} />
              )}
            </div>
          </div>
        </Dialog>
      </>
    )
  }, [importing, open])
}

/** The file input. Its value is cleared, so that the same file can be chosen again. */
function FileField({ importing: { file, doing, choose } }: { importing: Import }) {
  return (
    <div class="field">
      <input
        id="import-file"
        class="visually-hidden"
        type="file"
        accept=".xlsx,.csv,.tsv,.txt,text/csv"
        disabled={doing === 'adding'}
        aria-describedby="import-hint"
        onChange={({ currentTarget }) => {
          choose([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <label for="import-file" class="button">
        {doing === 'reading' ? 'Reading…' : file ? 'Choose another Excel or CSV file…' : 'Choose an Excel or CSV file…'}
      </label>
      {!file && (
        <p id="import-hint" class="hint">
          Or drop it on the page. It has a line for each animal, with its name, its category and, if you like, its
          status.
        </p>
      )}
    </div>
  )
}

function Progress({ importing, children }: { importing: Import; children?: ComponentChildren }) {
  const { name, rows = [], counts } = importing
  const total = rows.length - counts.wrong - counts.skipped
  const done = total - counts.ready
  return (
    <Running title={`Importing ${name}: ${number(done)} of ${number(total)}`} {...{ done, total }}>
      {children}
      <Button text="Cancel" onClick={importing.cancel} />
    </Running>
  )
}

interface AddedProps extends Pick<ImportDialogProps, 'onPrint'> {
  importing: Import
  style: string
  onFollow: (() => void) | undefined
  children: ComponentChildren
}

/** Links to the added animals, and prints their labels. */
function Added({ importing: { rows = [] }, children, style, onFollow, onPrint }: AddedProps) {
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return null
  return (
    <>
      <Button text="Print labels" class={style} onClick={() => onPrint(ids)} />
      <AnimalsLink class={style} only={{ ids: toIdRanges(ids), limit: PAGE_MAX }} onFollow={onFollow}>
        {children}
      </AnimalsLink>
    </>
  )
}

type Described = Pick<Import, 'name' | 'rows' | 'counts'> & { contents?: Pick<Contents, 'unclear'> | undefined }

export function contentsOf({ name, contents, rows, counts: { wrong } }: Described): string {
  const unclear = contents?.unclear.map((field) => FIELDS[field].label) ?? []
  if (unclear.length > 0) return `Several columns of ${name} fit ${unclear.join(' and ')}. Choose the right one.`
  if (!rows) return `Choose the columns of ${name} that have the name and the category.`
  const all = `${name} has ${rows.length === 1 ? '1 row' : `${number(rows.length)} rows`}`
  if (wrong === 0) return `${all}.`
  return `${all}, ${withMistakes(wrong)}. Fix ${wrong === 1 ? 'it' : 'them'} here, or add only the rest.`
}

function withMistakes(rows: number): string {
  return rows === 1 ? '1 with a mistake' : `${number(rows)} with mistakes`
}

export function outcomeOf({ counts }: Pick<Import, 'counts'>): string {
  const { added, present, wrong, ready } = counts
  const parts = [
    `${number(added)} added`,
    present > 0 && `${number(present)} ${present === 1 ? 'was' : 'were'} there already: nothing is added twice`,
    wrong > 0 && withMistakes(wrong),
    counts.skipped > 0 && `${number(counts.skipped)} skipped`,
    ready > 0 && `${number(ready)} not yet`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
