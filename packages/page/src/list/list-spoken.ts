// Announces each new page of the list to screen readers, and when the service responds again.

import { useEffect, useRef } from 'preact/hooks'
import { useAnnounce } from '../parts/announcer.tsx'
import { TITLES } from '../top-bar.tsx'
import type { Shown, ShownList } from './list.ts'
import type { ListPosition } from './list-position.ts'
import { heard } from './list-words.ts'

export function useSpokenList(list: ShownList): void {
  const announce = useAnnounce()
  useArrival(list, (arrived) => announce(heard(arrived, TITLES[arrived.position.view])))
  useRecovery(list.failure !== undefined, () => announce('Connected again.'))
}

/**
 * Calls `arrived` with each page that the person goes to. Skips the first page, which its heading announces, and pages
 * that are read again.
 */
function useArrival({ position, shown }: ShownList, arrived: (shown: Shown) => void): void {
  const last = useRef<ListPosition>(undefined)
  useEffect(() => {
    if (shown?.position !== position || last.current === position) return
    if (last.current) arrived(shown)
    last.current = position
  }, [shown])
}

function useRecovery(failing: boolean, recovered: () => void): void {
  const before = useRef(false)
  useEffect(() => {
    if (before.current && !failing) recovered()
    before.current = failing
  })
}
