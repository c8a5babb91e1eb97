// Announces each new page of the list to screen readers, and when the service responds again.

import { useEffect, useRef } from 'preact/hooks'
import { useAnnounce } from '../parts/announcer.tsx'
import { TITLES } from '../top-bar.tsx'
import type { ShownList } from './list.ts'
import type { ListPosition } from './list-position.ts'
import { spokenSummary } from './list-words.ts'

export function useSpokenList({ position, shown, failure }: ShownList): void {
  const announce = useAnnounce()
  const last = useRef<ListPosition>(undefined)
  useEffect(() => {
    if (shown?.position !== position || last.current === position) return
    // The heading announces the first page.
    if (last.current) announce(spokenSummary(shown, TITLES[position.view]))
    last.current = position
  }, [shown])
  const failing = failure !== undefined
  const wasFailing = useRef(false)
  useEffect(() => {
    if (wasFailing.current && !failing) announce('Connected again.')
    wasFailing.current = failing
  }, [failing])
}
