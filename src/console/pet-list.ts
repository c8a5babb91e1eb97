// The list, page by page: where the reader is in it, what is shown of it, and coming back by itself when the service was
// away. Only one page is ever held, so a store of a million animals is no slower than one of ten.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { PetPage, PetStatus, PetstoreClient } from '../client/petstore.ts'
import { type Failure, toFailure } from './failures.ts'

export interface Position {
  status: PetStatus | undefined
  limit: number
  /** The cursors of the pages up to this one: the way back, since the service only tells the way forth. */
  cursors: readonly (string | undefined)[]
}

export interface PetList {
  position: Position
  /** The last page that came, and the position it belongs to: while another is on its way, still the one before. */
  shown: (PetPage & { position: Position }) | undefined
  /** Set while the last try failed. */
  failure: Failure | undefined
  go: (position: Position) => void
  /** Asks again for the page that is shown. */
  reload: () => void
}

/** What others add appears within this time, and so does it when the service goes away. */
const REFRESH_MS = 15_000
const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000

export function usePetList(client: PetstoreClient, onRefused: (message: string) => void): PetList {
  const [position, go] = useState<Position>({ status: undefined, limit: 20, cursors: [undefined] })
  const [shown, setShown] = useState<PetList['shown']>()
  const [failure, setFailure] = useState<Failure>()
  const [turn, setTurn] = useState(0)
  const failures = useRef(0)
  const reload = useCallback(() => setTurn((before) => before + 1), [])

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      const { status, limit, cursors } = position
      try {
        const page = await client.listPage({ status, limit, cursor: cursors.at(-1) }, { signal: aborter.signal })
        failures.current = 0
        setShown({ ...page, position })
        setFailure(undefined)
        timer = setTimeout(reloadIfSeen, REFRESH_MS)
      } catch (error) {
        if (aborter.signal.aborted) return
        const failed = toFailure(error)
        if (failed.kind === 'unauthorized') return onRefused(failed.message)
        setFailure(failed)
        const pause = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures.current++)
        // Drawn, so that tabs that lost the service together do not come back together.
        timer = setTimeout(reload, pause * (0.75 + Math.random() / 2))
      }
    }

    function reloadIfSeen(): void {
      if (document.visibilityState === 'visible') reload()
    }

    load()
    document.addEventListener('visibilitychange', reloadIfSeen)
    window.addEventListener('online', reload)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', reloadIfSeen)
      window.removeEventListener('online', reload)
    }
  }, [client, position, turn])

  return { position, shown, failure, go, reload }
}
