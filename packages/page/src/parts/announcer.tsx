// Announces changes to screen readers, in one polite live region for the whole page.

import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'

const Announce = createContext<(sentence: string) => void>(() => undefined)

export function useAnnounce(): (sentence: string) => void {
  return useContext(Announce)
}

export function Announcer({ children }: { children: ComponentChildren }) {
  const [announcement, setAnnouncement] = useState({ sentence: '', count: 0 })
  const announce = useCallback(
    (sentence: string) => setAnnouncement(({ count }) => ({ sentence, count: count + 1 })),
    [],
  )
  return (
    <Announce.Provider value={announce}>
      {children}
      <div role="status" class="visually-hidden" translate={false}>
        {/* A new element each time, so that a repeated sentence is announced again. */}
        <span key={announcement.count}>{announcement.sentence}</span>
      </div>
    </Announce.Provider>
  )
}
