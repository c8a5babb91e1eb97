// Shows the sign-in form, or the store once a key is known. Signing out or a rejected key aborts all requests of the
// session. The draft lives here so that it survives a rejected key.

import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { type Draft, EMPTY_DRAFT } from './animal/draft.ts'
import { TIMEOUT_MS } from './failures.ts'
import { loadNames } from './names.ts'
import { NO_RESERVATION, RESERVATION } from './orders/order-dialog.tsx'
import { Announcer } from './parts/announcer.tsx'
import { noteServiceTime, noteToday } from './parts/clock.ts'
import { every, listen } from './parts/listen.ts'
import { useLoaded } from './parts/loaded.ts'
import { useSessionState } from './session/session-state.ts'
import { SignIn } from './session/sign-in.tsx'
import { refusalIn, useSignedIn } from './session/signed-in.ts'
import type { SignedIn } from './session/tab-keys.ts'
import { StoreView } from './store-view.tsx'

const NAMES_MS = 60_000
const TODAY_MS = 10_000

/** `found`: the key from this tab's storage or from another tab. */
export function App({ found }: { found: SignedIn | undefined }) {
  const [draft, setDraft] = useSessionState<Draft>('petstore.draft', EMPTY_DRAFT)
  const [, setReservation] = useSessionState(RESERVATION, NO_RESERVATION)
  const { signedIn, ...keys } = useSignedIn(found, clear)
  const apiKey = signedIn?.key
  const named = useLoaded((signal) => loadNames(apiKey, signal), [apiKey])
  useEffect(() => every(NAMES_MS, named.refresh), [])
  useEffect(() => listen(window, 'focus', named.refresh), [])
  useEffect(() => every(TODAY_MS, noteToday), [])
  const [refusal, setRefusal] = useState('')
  const session = useMemo(() => {
    if (!apiKey) return undefined
    const aborter = new AbortController()
    const { signal } = aborter
    const fetch = (url: string, init: RequestInit) => fetchOrRefuse(url, init, signal)
    const client = new PetstoreClient({ baseUrl: './v1', apiKey, timeoutMs: TIMEOUT_MS, retries: 1, signal, fetch })
    return { aborter, client }
  }, [apiKey])
  useLayoutEffect(() => () => session?.aborter.abort(), [session])

  function signIn(next: SignedIn, remember: boolean): void {
    setRefusal('')
    keys.signIn(next, remember)
  }

  function clear(): void {
    history.replaceState(null, '', './')
    setDraft(EMPTY_DRAFT)
    setReservation(NO_RESERVATION)
  }

  /**
   * A 401 of the service returns to the sign-in form, unless it belongs to an earlier session, and keeps the draft.
   * A 401 of a proxy says nothing about the key.
   */
  async function fetchOrRefuse(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const response = await fetch(url, init)
    noteServiceTime(response.headers.get('Date'))
    if (response.status === 401) {
      const message = await refusalIn(response.clone())
      if (message && !signal.aborted) {
        setRefusal(message)
        keys.forget()
      }
    }
    return response
  }

  return (
    <Announcer key={apiKey}>
      {session && signedIn ? (
        <StoreView
          client={session.client}
          signedIn={signedIn}
          draft={draft}
          setDraft={setDraft}
          onSignOut={keys.signOut}
        />
      ) : (
        <SignIn refusal={refusal} onSignIn={signIn} />
      )}
    </Announcer>
  )
}
