// Who is here: nobody, and the page asks for a key; or a key, and the page shows the animals. What must outlive a key
// that stops working, the draft and where it stood, lives here.

import { useMemo, useState } from 'preact/hooks'
import { PetstoreClient } from '../client/petstore.ts'
import { Announcer } from './announcer.tsx'
import { EMPTY_DRAFT, KEPT_DRAFT } from './draft.ts'
import { KEPT_ADDED } from './just-added.tsx'
import { type Kept, useKept } from './session-state.ts'
import { SignIn } from './sign-in.tsx'
import { StoreView } from './store-view.tsx'

const KEPT_KEY: Kept<string> = { name: 'petstore.key', initial: '', toText: String, fromText: String }

export function App() {
  const [apiKey, setApiKey] = useKept(KEPT_KEY)
  const [draft, setDraft] = useKept(KEPT_DRAFT)
  const [added, setAdded] = useKept(KEPT_ADDED)
  /** Why the last key was put down. */
  const [refusal, setRefusal] = useState('')
  const [removal, setRemoval] = useState<Date>()
  const store = useMemo(() => (apiKey ? storeWith(apiKey, ({ removal }) => setRemoval(removal)) : undefined), [apiKey])

  function signIn(key: string): void {
    setRefusal('')
    setApiKey(key)
  }

  function signOut(): void {
    setApiKey('')
    setDraft(EMPTY_DRAFT)
    setAdded([])
  }

  /** To sign in with another key, with the draft as it is. */
  function changeKey(): void {
    setApiKey('')
  }

  function refuse(message: string): void {
    setRefusal(message)
    setApiKey('')
  }

  return (
    <Announcer>
      {store ? (
        <StoreView
          key={apiKey}
          store={store}
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
        <SignIn refusal={refusal} storeWith={storeWith} onSignIn={signIn} />
      )}
    </Announcer>
  )
}

/** `undefined` for what no header can carry, and so cannot be a key. */
function storeWith(
  apiKey: string,
  onDeprecated?: (notice: { removal: Date | undefined }) => void,
): PetstoreClient | undefined {
  try {
    return new PetstoreClient({ baseUrl: '/v1', apiKey, retries: 1, onDeprecated })
  } catch {
    return undefined
  }
}
