// Without a key, the page asks for one; with a key, it shows the store. The draft lives here because it must survive a
// key that stops working.

import { useMemo, useState } from 'preact/hooks'
import { type Deprecation, PetstoreClient } from '../client/petstore.ts'
import { Announcer } from './announcer.tsx'
import { type Draft, EMPTY_DRAFT } from './draft.ts'
import { STORED_ADDED } from './just-added.tsx'
import { type Stored, useSessionState } from './session-state.ts'
import { SignIn } from './sign-in.tsx'
import { type SignedIn, useSignedIn } from './signed-in.ts'
import { StoreView } from './store-view.tsx'

const STORED_DRAFT: Stored<Draft> = {
  name: 'petstore.draft',
  initial: EMPTY_DRAFT,
  toText: JSON.stringify,
  fromText: (text) => ({ ...EMPTY_DRAFT, ...JSON.parse(text) }),
}

export function App() {
  const [signedIn, setSignedIn] = useSignedIn()
  const apiKey = signedIn?.key
  const [draft, setDraft] = useSessionState(STORED_DRAFT)
  const [added, setAdded] = useSessionState(STORED_ADDED)
  /** Why the last key no longer works. */
  const [refusal, setRefusal] = useState('')
  const [removal, setRemoval] = useState<Date>()
  const client = useMemo(() => {
    const onDeprecated = ({ removal }: Deprecation) => setRemoval(removal)
    return apiKey
      ? new PetstoreClient({ baseUrl: './v1', apiKey, retries: 1, onDeprecated, fetch: fetchOrRefuse })
      : undefined
  }, [apiKey])

  function signIn(next: SignedIn, remember: boolean): void {
    setRefusal('')
    setSignedIn(next, remember)
  }

  function signOut(): void {
    history.replaceState(null, '', './')
    setSignedIn(undefined)
    setDraft(EMPTY_DRAFT)
    setAdded([])
  }

  /** A key that stops working leads to signing in, whatever was asked. Keeps the draft for the next key. */
  async function fetchOrRefuse(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init)
    if (response.status === 401) {
      const { message = 'The API key was refused.' } = await response.clone().json().catch(Object)
      setRefusal(message)
      setSignedIn(undefined)
    }
    return response
  }

  return (
    <Announcer>
      {client && signedIn ? (
        <StoreView
          key={apiKey}
          client={client}
          signedIn={signedIn}
          draft={draft}
          setDraft={setDraft}
          added={added}
          setAdded={setAdded}
          lookUpRemoval={removal}
          onSignOut={signOut}
        />
      ) : (
        <SignIn refusal={refusal} onSignIn={signIn} />
      )}
    </Announcer>
  )
}
