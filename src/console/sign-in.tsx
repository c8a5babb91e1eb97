// The way in: an API key, tried at the service before anything else is shown.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../client/petstore.ts'
import { failureOf } from './failures.ts'
import { Paw } from './icons.tsx'
import { Note } from './notice.tsx'

interface SignInProps {
  /** Why the key before is not used any more. */
  refusal: string
  /** `undefined` for what cannot be a key. */
  storeWith: (apiKey: string) => PetstoreClient | undefined
  onSignIn: (apiKey: string) => void
}

export function SignIn({ refusal, storeWith, onSignIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [shown, setShown] = useState(false)
  const [trying, setTrying] = useState(false)
  const [problem, setProblem] = useState(refusal)
  const [away, setAway] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const candidate = key.trim()
    if (trying) return
    setProblem('')
    setAway('')
    const store = candidate ? storeWith(candidate) : undefined
    if (!store) {
      setProblem(candidate ? 'This is not an API key.' : 'Enter an API key.')
      input.current?.focus()
      return
    }
    setTrying(true)
    try {
      await store.listPage({ limit: 1 })
      onSignIn(candidate)
    } catch (error) {
      const { kind, message } = failureOf(error)
      if (kind === 'refused') setProblem(message)
      else setAway(message)
      input.current?.focus()
    } finally {
      setTrying(false)
    }
  }

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Paw />
        <h1>Petstore</h1>
        <p class="muted">Sign in with an API key to see the animals of this store.</p>
        {away && (
          <Note kind="away" title={away}>
            Your key is still here: try again.
          </Note>
        )}
        <form onSubmit={submit} noValidate>
          <div class="field">
            <label for="api-key">API key</label>
            <div class="joined">
              <input
                ref={input}
                id="api-key"
                class="mono"
                {...(shown ? { type: 'text' } : { type: 'password' })}
                value={key}
                onInput={({ currentTarget }) => setKey(currentTarget.value)}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                placeholder="pets_live_…"
                aria-invalid={problem !== ''}
                aria-describedby={problem ? 'api-key-problem api-key-help' : 'api-key-help'}
              />
              <button
                type="button"
                class="quiet"
                aria-pressed={shown}
                aria-label="Show the key"
                onClick={() => setShown(!shown)}
              >
                {shown ? 'Hide' : 'Show'}
              </button>
            </div>
            {problem && (
              <p id="api-key-problem" class="problem" role="alert">
                {problem}
              </p>
            )}
            <p id="api-key-help" class="hint">
              It stays in this tab and is forgotten when you close it.
            </p>
          </div>
          <button type="submit" class="primary wide" aria-disabled={trying}>
            {trying ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
      </div>
      <p class="hint">
        Who runs the service issues keys with <code>petstore keys create</code>. The API is described in{' '}
        <a href="/docs">the reference</a>.
      </p>
    </main>
  )
}
