// An import from the choice of its file to its end. It lives as long as somebody is signed in, whether its dialog is open or not.

import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { FileError } from '../../../files/src/format.ts'
import { toFailure } from '../failures.ts'
import { useBusy } from '../parts/busy.ts'
import { addRows } from './add-rows.ts'
import { type Counts, countsOf, mend, type Row, readRows, wasExportedForExcel } from './rows.ts'

/** How often it is shown how far it is. */
const SHOW_MS = 250

export interface Import {
  file: File | undefined
  fromExcel: boolean
  /** `undefined` until a file is read. */
  rows: readonly Row[] | undefined
  counts: Counts
  doing: 'reading' | 'adding' | undefined
  /** It was begun, and has ended. */
  ended: boolean
  problem: string
  /** `fromExcel`: where a person has said so; otherwise the file tells. */
  choose: (file: File | undefined, fromExcel?: boolean) => void
  add: () => void
  /** Those that an earlier import has added. */
  addAgain: () => void
  cancel: () => void
  mend: (row: Row, change: Partial<Row['cells']>) => void
  leaveOut: (row: Row, isLeftOut: boolean) => void
  close: () => void
}

/** Another one only when something of it has changed. */
export function useImport(client: PetstoreClient, onEnded: () => void): Import {
  const [shows, show] = useReducer((count: number) => count + 1, 0)
  const [state, setState] = useState<Pick<Import, 'file' | 'fromExcel' | 'rows' | 'doing' | 'ended' | 'problem'>>(NONE)
  const { file, rows } = state
  const set = (change: Partial<typeof state>) => setState((before) => ({ ...before, ...change }))
  const [, once] = useBusy()
  const aborter = useRef(new AbortController())
  // Signed out.
  useLayoutEffect(() => () => aborter.current.abort(), [])

  async function run(doing: Import['doing'], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    aborter.current = new AbortController()
    const { signal } = aborter.current
    set({ doing, problem: '', ended: false })
    try {
      await work(signal)
    } catch (error) {
      set({ problem: signal.aborted ? 'It was cancelled.' : sentenceOf(error) })
    }
    set({ doing: undefined, ended: doing === 'adding' })
  }

  const choose = (file: File | undefined, said?: boolean) =>
    once(async () => {
      set({ ...NONE, file, fromExcel: said ?? false })
      if (!file) return
      await run('reading', async (signal) => {
        const fromExcel = said ?? (await wasExportedForExcel(file))
        set({ fromExcel, rows: await readRows(file, fromExcel, signal) })
      })
    })

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

  function addAgain(): void {
    for (const row of rows ?? []) if (row.state === 'present') row.state = 'open'
    add(`once ${randomKey()}`)
  }

  return useMemo(
    () => ({
      ...state,
      counts: countsOf(rows ?? []),
      choose,
      add: () => add(),
      addAgain,
      cancel: () => aborter.current.abort(),
      mend(row, change) {
        mend(row, change)
        show(undefined)
      },
      leaveOut(row, isLeftOut) {
        row.state = isLeftOut ? 'left out' : 'open'
        show(undefined)
      },
      close: () => setState(NONE),
    }),
    [state, shows],
  )
}

const NONE = {
  file: undefined,
  fromExcel: false,
  rows: undefined,
  doing: undefined,
  ended: false,
  problem: '',
} as const

function sentenceOf(error: unknown): string {
  if (error instanceof FileError) return error.message
  // The browser cannot read it.
  if (error instanceof DOMException) return 'The file has changed, or is gone. Choose it again.'
  return `${toFailure(error).message} What was added stays; go on when you like, nothing is added twice.`
}
