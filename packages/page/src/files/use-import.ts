// The import of one file. It continues while its dialog is closed, and ends with the session.

import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import { type NewPet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { FileError } from '../../../files/src/format.ts'
import { RECORD_ERRORS, RecordKeys } from '../../../files/src/record-key.ts'
import { toProblems } from '../animal/field-problems.ts'
import { toFailure } from '../failures.ts'
import { useBusy } from '../parts/busy.ts'
import { concurrently } from '../parts/concurrently.ts'
import { plain } from '../parts/visible-text.ts'
import {
  type Contents,
  type Counts,
  countsOf,
  fix,
  type ImportAnswers,
  type ImportRow,
  isReady,
  petIn,
  readContents,
  type UnknownValue,
} from './rows.ts'

const SHOW_MS = 250

interface Fix {
  change?: Partial<ImportRow['cells']> | undefined
  isSkipped?: boolean | undefined
}

export interface Import {
  file: File | undefined
  name: string
  answers: ImportAnswers
  /** `undefined` until a file has been read. */
  contents: Contents | undefined
  rows: readonly ImportRow[] | undefined
  counts: Counts
  doing: 'reading' | 'adding' | undefined
  ended: boolean
  problem: string
  choose: (files: readonly File[]) => void
  /** Reads the file again with more decisions. */
  answer: (more: ImportAnswers) => void
  add: () => void
  /** Adds the rows again that an earlier import added. */
  addAgain: () => void
  cancel: () => void
  fix: (row: ImportRow, change: Partial<ImportRow['cells']>) => void
  /** Replaces the value in all of its rows. */
  replace: (value: UnknownValue, by: string) => void
  skip: (row: ImportRow, isSkipped: boolean) => void
  close: () => void
}

/** Returns a new object only if the import changed. */
export function useImport(client: PetstoreClient, onEnded: () => void): Import {
  const [shows, show] = useReducer((count: number) => count + 1, 0)
  const [state, setState] =
    useState<Pick<Import, 'file' | 'answers' | 'contents' | 'doing' | 'ended' | 'problem'>>(NONE)
  const { file, answers, contents } = state
  const rows = contents?.rows
  const set = (change: Partial<typeof state>) => setState((before) => ({ ...before, ...change }))
  const [, once] = useBusy()
  const aborter = useRef(new AbortController())
  // Runs on sign-out.
  useLayoutEffect(() => () => aborter.current.abort(), [])

  async function run(doing: Import['doing'], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    aborter.current.abort()
    const own = new AbortController()
    aborter.current = own
    set({ doing, problem: '', ended: false })
    try {
      await work(own.signal)
    } catch (error) {
      if (aborter.current === own) set({ problem: own.signal.aborted ? 'It was cancelled.' : sentenceOf(error) })
    }
    // Otherwise, the person chose another file or decided differently.
    if (aborter.current === own) set({ doing: undefined, ended: doing === 'adding' })
  }

  /** The corrected cells and skipped rows of the file, by line. They stay when the file is read again. */
  const fixes = useRef(new Map<number, Fix>()).current

  function read(file: File | undefined, answers: ImportAnswers, before?: Contents): void {
    if (!file || state.doing === 'adding') return
    if (!before) fixes.clear()
    // The headings stay visible while the rows are read again.
    set({ ...NONE, file, answers, contents: before && { ...before, rows: undefined } })
    void run('reading', async (signal) => {
      const contents = await readContents(file, answers, signal)
      signal.throwIfAborted()
      for (const row of contents.rows ?? []) {
        const { change, isSkipped } = fixes.get(row.line) ?? {}
        if (change) fix(row, change)
        if (isSkipped) row.state = 'skipped'
      }
      set({ contents })
    })
  }

  const add = (name = `page ${file?.name}`) =>
    once(async () => {
      let shownAt = 0
      function onRow(): void {
        if (performance.now() < shownAt + SHOW_MS) return
        shownAt = performance.now()
        show(undefined)
      }
      await run('adding', (signal) => addRows(client, name, rows ?? [], signal, onRow))
      onEnded()
    })

  function keep({ line }: ImportRow, change: Fix): void {
    fixes.set(line, { ...fixes.get(line), ...change })
    show(undefined)
  }

  function correct(row: ImportRow, change: Partial<ImportRow['cells']>): void {
    fix(row, change)
    keep(row, { change: { ...fixes.get(row.line)?.change, ...change } })
  }

  function addAgain(): void {
    for (const row of rows ?? []) if (row.state === 'present') row.state = 'open'
    void add(`once ${randomKey()}`)
  }

  return useMemo(
    () => ({
      ...state,
      name: plain(file?.name ?? ''),
      rows,
      counts: countsOf(rows ?? []),
      choose: ([file, ...others]) => {
        if (others.length === 0) read(file, {})
        else if (!state.doing) set({ problem: `Choose one file at a time, not ${others.length + 1}.` })
      },
      answer: (more) => read(file, { ...answers, ...more }, contents),
      add: () => add(),
      addAgain,
      cancel: () => aborter.current.abort(),
      fix: correct,
      replace({ field, text }, by) {
        for (const row of rows ?? [])
          if (row.state === 'open' && row.cells[field].trim() === text) correct(row, { [field]: by })
      },
      skip(row, isSkipped) {
        row.state = isSkipped ? 'skipped' : 'open'
        keep(row, { isSkipped })
      },
      close: () => setState(NONE),
    }),
    [state, shows],
  )
}

const NONE = {
  file: undefined,
  answers: {},
  contents: undefined,
  doing: undefined,
  ended: false,
  problem: '',
} as const

function sentenceOf(error: unknown): string {
  if (error instanceof FileError) return error.message
  // The browser cannot read the file.
  if (error instanceof DOMException) return 'The file has changed, or is gone. Choose it again.'
  return `${toFailure(error).message} Rows added so far are kept. Continue when you like: nothing is added twice.`
}

const RETRIES = 8

/**
 * Adds the rows of a file, a few at a time, with the same Idempotency-Keys as the command line. Importing the same
 * file again, even after corrections, adds nothing twice. Calls `onRow` after each row. A row that the service rejects becomes a mistake. Rejects if the service stays
 * unreachable.
 */
export async function addRows(
  client: PetstoreClient,
  name: string,
  rows: readonly ImportRow[],
  signal: AbortSignal,
  onRow: () => void,
): Promise<void> {
  const keys = new RecordKeys(name)
  // A corrected row can become equal to a later one that was added with the first key for this content.
  const taken = new Set(rows.filter(({ state }) => state !== 'open').map(({ key }) => key))
  await concurrently(rows.filter(isReady), async (row) => {
    const pet = petIn(row.cells)
    let key = keys.next(pet)
    while (taken.has(key)) key = keys.next(pet)
    let state: ImportRow['state'] = 'added'
    try {
      const { id } = await client.createPet(pet as NewPet, {
        idempotencyKey: key,
        onReplayed: () => {
          state = 'present'
        },
        retries: RETRIES,
        signal,
      })
      Object.assign(row, { id, state, key })
    } catch (error) {
      if (!(error instanceof PetstoreApiError && RECORD_ERRORS.includes(error.code))) throw error
      Object.assign(row, { problems: toProblems(error.message), mistaken: true })
    }
    onRow()
  })
}
