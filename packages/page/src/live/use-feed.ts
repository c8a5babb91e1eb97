// The feed of events for as long as somebody is signed in, and what the page marks because of it.

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Event, PetstoreClient } from '../../../client/src/petstore.ts'
import { Feed } from './feed.ts'

/** As long as the mark takes to fade (--mark in the styles). */
const MARKED_MS = 4_000

export function useFeed(client: PetstoreClient): Feed {
  const feed = useMemo(() => new Feed(client, new URL('.', location.href).pathname), [client])
  useEffect(() => () => feed.stop(), [feed])
  return feed
}

/** Calls `onEvents` of the latest rendering. */
export function useEvents(feed: Feed, onEvents: (events: readonly Event[], gap: boolean) => void): void {
  const latest = useRef(onEvents)
  latest.current = onEvents
  useEffect(() => feed.listen((events, gap) => latest.current(events, gap)), [feed])
}

/** The animals that have just changed, and what marks more of them. */
export function useMarks(): [ReadonlySet<bigint>, (petIds: readonly bigint[]) => void] {
  const [marks, setMarks] = useState<ReadonlySet<bigint>>(new Set())
  const mark = useCallback((petIds: readonly bigint[]) => {
    setMarks((before) => new Set([...before, ...petIds]))
    setTimeout(() => setMarks((before) => new Set([...before].filter((id) => !petIds.includes(id)))), MARKED_MS)
  }, [])
  return [marks, mark]
}
