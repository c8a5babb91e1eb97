// Without a key, the page asks for one; with a key, it shows the animals. The draft lives here because it must survive a
// key that stops working.

import { useMemo, useState } from 'preact/hooks'
import { PetstoreClient } from '../client/petstore.ts'
import { Announcer } from './announcer.tsx'
import { type Draft, EMPTY_DRAFT } from './draft.ts'
import { STORED_ADDED } from './just-added.tsx'
import { type Stored, useSessionState } from './session-state.ts'
import { SignIn } from './sign-in.tsx'
import { StoreView } from './store-view.tsx'

const STORED_KEY: Stored<string> = { name: 'petstore.key', initial: '', toText: String, fromText: String }
const STORED_DRAFT: Stored<Draft> = {
  name: 'petstore.draft',
  initial: EMPTY_DRAFT,
  toText: JSON.stringify,
  fromText: (text) => ({ ...EMPTY_DRAFT, ...JSON.parse(text) }),
}

export function App() {
  const [apiKey, setApiKey] = useSessionState(STORED_KEY)
  const [draft, setDraft] = useSessionState(STORED_DRAFT)
  const [added, setAdded] = useSessionState(STORED_ADDED)
  /** Why the last key no longer works. */
  const [refusal, setRefusal] = useState('')
  const [removal, setRemoval] = useState<Date>()
  const client = useMemo(() => (apiKey ? clientFor(apiKey, ({ removal }) => setRemoval(removal)) : undefined), [apiKey])

  function signIn(key: string): void {
    setRefusal('')
    setApiKey(key)
  }

  function signOut(): void {
    history.replaceState(null, '', '/')
    setApiKey('')
    setDraft(EMPTY_DRAFT)
    setAdded([])
  }

  /** Keeps the draft for the next key. */
  function changeKey(): void {
    setApiKey('')
  }

  function refuse(message: string): void {
    setRefusal(message)
    setApiKey('')
  }

  return (
    <Announcer>
      {client ? (
        <StoreView
          key={apiKey}
          client={client}
          keyEnd={apiKey.slice(-4)}
          draft={draft}
          setDraft={setDraft}
          added={added}
          setAdded={setAdded}
          lookUpRemoval={removal}
          onRefused={refuse}
          onChangeKey={changeKey}
          onSignOut={signOut}
        />
      ) : (
        <SignIn refusal={refusal} clientFor={clientFor} onSignIn={signIn} />
      )}
    </Announcer>
  )
}

/** `undefined` when no header can carry the text, so it cannot be a key. */
function clientFor(
  apiKey: string,
  onDeprecated?: (notice: { removal: Date | undefined }) => void,
): PetstoreClient | undefined {
  try {
    return new PetstoreClient({ baseUrl: '/v1', apiKey, retries: 1, onDeprecated })
  } catch {
    return undefined
  }
}
