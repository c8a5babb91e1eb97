// The running export, one at a time, shown on every view. It ends with the session.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { isAborted, toFailure } from '../failures.ts'
import { type Shown, wholeList } from '../list/list.ts'
import type { ListPosition } from '../list/list-position.ts'
import { totalOf } from '../list/list-words.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { loadPart } from '../parts/loaded.ts'
import { CloseButton } from '../parts/notice.tsx'
import { number } from '../phrases.ts'
import { Running, WorkResult } from './running.tsx'

const SHOW_MS = 250
/** The same number as on the command line. */
const RETRIES = 6

interface State {
  kind: 'running' | 'done' | 'error'
  title: string
  rows?: number
  total?: number | undefined
}

/** `progress` becomes the result at the end. */
export function useExport(client: PetstoreClient) {
  const [state, setState] = useState<State>()
  const [exporting, once] = useBusy()
  const announce = useAnnounce()
  const aborter = useRef(new AbortController())
  // Runs on sign-out.
  useLayoutEffect(() => () => aborter.current.abort(), [])

  function end(kind: 'done' | 'error', title: string): void {
    setState({ kind, title })
    announce(title)
  }

  async function run(position: ListPosition, shown: Shown | undefined): Promise<void> {
    aborter.current = new AbortController()
    const { signal } = aborter.current
    const total = shown && shown.position.view === position.view ? totalOf({ ...shown, position }) : undefined
    let shownAt = Number.NEGATIVE_INFINITY
    try {
      const { COLUMNS, exportRows, fileName } = await loadPart(import('./export.ts'))
      const name = fileName(position)
      function onRows(rows: number): void {
        if (performance.now() < shownAt + SHOW_MS) return
        shownAt = performance.now()
        const of = total === undefined ? ' rows' : ` of ${number(total)}`
        setState({ kind: 'running', title: `Exporting ${name}: ${number(rows)}${of}`, rows, total })
      }
      onRows(0)
      const items = wholeList(client, position, { signal, retries: RETRIES })
      const rows = await exportRows(items, COLUMNS[position.view], name, { signal, onRows })
      end('done', `${number(rows)} ${rows === 1 ? 'row was' : 'rows were'} exported.`)
    } catch (error) {
      if (isAborted(error)) end('done', 'The export was cancelled. Nothing was saved.')
      else end('error', `Nothing was exported. ${toFailure(error).message}`)
    }
  }

  const start = (position: ListPosition, shown: Shown | undefined) => once(() => run(position, shown))
  return { exporting, start, progress: state && progressOf(state) }

  function progressOf({ kind, title, rows = 0, total }: State): ComponentChildren {
    if (kind !== 'running') {
      return (
        <WorkResult {...{ kind, title }}>
          <CloseButton onClose={() => setState(undefined)} />
        </WorkResult>
      )
    }
    return (
      <Running {...{ title, total }} done={rows}>
        <Button text="Cancel" onClick={() => aborter.current.abort()} />
      </Running>
    )
  }
}
