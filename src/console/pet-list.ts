// The list, page by page: the position in it, the page shown, and retries until the service responds. The page holds only
// one page of animals, so a store of a million is as quick as a store of ten.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { PetPage, PetstoreClient } from '../client/petstore.ts'
import { type Failure, toFailure } from './failures.ts'
import { fromAddress, type ListPosition, toAddress } from './list-position.ts'

export interface PetList {
  /** The position that the reader chose. */
  position: ListPosition
  /** The last page that arrived, with its position: while another is loading, still the one before. */
  shown: (PetPage & { position: ListPosition }) | undefined
  /** Set when the last attempt failed, with the time of the next one. */
  failure: (Failure & { retryAt: number }) | undefined
  goTo: (position: ListPosition) => void
  /** Fetches the chosen page again. */
  reload: () => void
}

/** How soon the page shows what others add, and notices that the service does not respond. */
const REFRESH_MS = 15_000
const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000

export function usePetList(client: PetstoreClient, onRefused: (message: string) => void): PetList {
  const [position, goTo] = usePosition()
  const [shown, setShown] = useState<PetList['shown']>()
  const [failure, setFailure] = useState<PetList['failure']>()
  const [reloads, setReloads] = useState(0)
  const failures = useRef(0)
  const reload = useCallback(() => setReloads((before) => before + 1), [])

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      const { status, limit, cursor } = position
      try {
        const page = await client.listPage({ status, limit, cursor }, { signal: aborter.signal, retries: 0 })
        failures.current = 0
        setShown({ ...page, position })
        setFailure(undefined)
        timer = setTimeout(reloadIfVisible, REFRESH_MS)
      } catch (error) {
        if (aborter.signal.aborted) return
        const failed = toFailure(error)
        if (failed.kind === 'unauthorized') return onRefused(failed.message)
        const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures.current++)
        // Random, so that tabs that lost the service together do not retry together.
        const retryMs = Math.max(failed.retryAfterMs ?? 0, pauseMs * (0.75 + Math.random() / 2))
        setFailure({ ...failed, retryAt: Date.now() + retryMs })
        timer = setTimeout(reload, retryMs)
      }
    }

    function reloadIfVisible(): void {
      if (document.visibilityState === 'visible') reload()
    }

    load()
    document.addEventListener('visibilitychange', reloadIfVisible)
    window.addEventListener('online', reload)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', reloadIfVisible)
      window.removeEventListener('online', reload)
    }
  }, [client, position, reloads])

  return { position, shown, failure, goTo, reload }
}

/** Like useState, with the position in the address and in the browser's history. */
function usePosition(): [ListPosition, (position: ListPosition) => void] {
  const [position, setPosition] = useState(() => fromAddress(location.search, history.state))
  useEffect(() => {
    const follow = () => setPosition(fromAddress(location.search, history.state))
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
  const goTo = useCallback((next: ListPosition) => {
    const address = toAddress(next)
    if (address !== location.pathname + location.search) history.pushState({ earlier: next.earlier }, '', address)
    setPosition(next)
  }, [])
  return [position, goTo]
}
