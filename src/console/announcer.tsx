// Says what has changed to those who do not see it: one polite live region for the whole page.

import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'

const Announce = createContext<(sentence: string) => void>(() => undefined)

export function useAnnounce(): (sentence: string) => void {
  return useContext(Announce)
}

export function Announcer({ children }: { children: ComponentChildren }) {
  const [said, setSaid] = useState({ sentence: '', turn: 0 })
  const announce = useCallback((sentence: string) => setSaid(({ turn }) => ({ sentence, turn: turn + 1 })), [])
  return (
    <Announce.Provider value={announce}>
      {children}
      <div role="status" class="unseen">
        {/* A new element each time: the same sentence twice is said twice. */}
        <span key={said.turn}>{said.sentence}</span>
      </div>
    </Announce.Provider>
  )
}
