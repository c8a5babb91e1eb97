// Signing in: the service checks the API key before the page shows anything else.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { toFailure } from './failures.ts'
import { Paw } from './icons.tsx'
import { Notice } from './notice.tsx'
import { identify, type SignedIn } from './signed-in.ts'

interface SignInProps {
  /** Why the last key no longer works. */
  refusal: string
  onSignIn: (signedIn: SignedIn, remember: boolean) => void
}

export function SignIn({ refusal, onSignIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [visible, setVisible] = useState(false)
  const [remember, setRemember] = useState(false)
  const [checking, setChecking] = useState(false)
  const [problem, setProblem] = useState(refusal)
  const [unavailable, setUnavailable] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const candidate = key.trim()
    if (checking) return
    setProblem('')
    setUnavailable('')
    // No header can carry anything else.
    if (!/^[!-~]+$/.test(candidate)) {
      setProblem(candidate ? 'This is not an API key.' : 'Enter an API key.')
      input.current?.focus()
      return
    }
    setChecking(true)
    try {
      onSignIn(await identify(candidate), remember)
    } catch (error) {
      const { kind, message } = toFailure(error)
      if (kind === 'unauthorized') setProblem(message)
      else setUnavailable(message)
      input.current?.focus()
    } finally {
      setChecking(false)
    }
  }

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Paw />
        <h1>Petstore</h1>
        <p class="muted">Sign in to see the animals of this store.</p>
        {unavailable && (
          <Notice kind="warning" title={unavailable}>
            Your key is still here. Try again.
          </Notice>
        )}
        <form onSubmit={submit} noValidate>
          <div class="field">
            <label for="api-key">API key</label>
            <div class="joined">
              <input
                ref={input}
                id="api-key"
                class="mono"
                {...(visible ? { type: 'text' } : { type: 'password' })}
                value={key}
                onInput={({ currentTarget }) => setKey(currentTarget.value)}
                autocomplete="current-password"
                autocapitalize="off"
                spellcheck={false}
                placeholder="pets_live_…"
                aria-invalid={problem !== ''}
                aria-describedby={problem ? 'api-key-problem api-key-help' : 'api-key-help'}
              />
              <button
                type="button"
                class="quiet"
                aria-pressed={visible}
                aria-label="Show the key"
                onClick={() => setVisible(!visible)}
              >
                {visible ? 'Hide' : 'Show'}
              </button>
            </div>
            {problem && (
              <p id="api-key-problem" class="problem" role="alert">
                {problem}
              </p>
            )}
            <p id="api-key-help" class="hint">
              {remember ? 'This device keeps it until you sign out.' : 'This tab forgets it when you close it.'}
            </p>
          </div>
          <label class="check">
            <input type="checkbox" checked={remember} onChange={() => setRemember(!remember)} />
            Remember on this device
          </label>
          <button type="submit" class="primary wide" aria-disabled={checking}>
            {checking ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
      </div>
      <p class="hint">
        No key? Ask the person who runs this service. Developers:{' '}
        <a href="/docs" target="_blank" rel="noopener">
          API reference
        </a>
        .
      </p>
    </main>
  )
}
