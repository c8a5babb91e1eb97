// The sign-in form. The service checks the API key before the page shows anything else.

import { useLayoutEffect, useState } from 'preact/hooks'
import { toFailure } from '../failures.ts'
import { names } from '../names.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { Paw } from '../parts/icons.tsx'
import { Name } from '../parts/name.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField, type TextFieldProps } from '../parts/text-field.tsx'
import { useTitle } from '../title.ts'
import { identify, keyIn } from './signed-in.ts'
import type { SignedIn } from './tab-keys.ts'

interface SignInProps {
  refusal: string
  onSignIn: (signedIn: SignedIn, remember: boolean) => void
}

const KEY_ID = 'api-key'

export function SignIn({ refusal, onSignIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [remember, setRemember] = useState(false)
  const [checking, once] = useBusy()
  const [problem, setProblem] = useState(refusal)
  const [unavailable, setUnavailable] = useState('')
  useTitle('Sign in')
  useLayoutEffect(focusKey, [])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const candidate = keyIn(key)
    setProblem('')
    setUnavailable('')
    // Other characters are invalid in the header.
    if (!/^[!-~]+$/.test(candidate)) {
      setProblem(candidate ? 'This is not an API key.' : 'Enter an API key.')
      focusKey()
      return
    }
    await once(async () => {
      try {
        onSignIn(await identify(candidate), remember)
      } catch (error) {
        const { kind, message } = toFailure(error)
        if (kind === 'unauthorized') setProblem(message)
        else setUnavailable(message)
        focusKey()
      }
    })
  }

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Paw />
        <h1>
          <Name name={names().store} />
        </h1>
        <p class="muted">Sign in to see the animals of this store.</p>
        {unavailable && <Notice kind="warning" title={unavailable} text="Your key is still here. Try again." />}
        <form onSubmit={submit} noValidate>
          <KeyField {...{ problem, remember }} value={key} setText={setKey} />
          <label class="check">
            <input type="checkbox" checked={remember} onChange={() => setRemember(!remember)} />
            Remember on this device
          </label>
          <button type="submit" class="primary" aria-disabled={checking}>
            {checking ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
      </div>
      <p class="hint">
        No key? Ask the person who runs this service. Developers:{' '}
        <a href="docs" target="_blank" rel="noopener">
          API reference
        </a>
        .
      </p>
    </main>
  )
}

type KeyFieldProps = Pick<TextFieldProps, 'value' | 'setText' | 'problem'> & { remember: boolean }

function KeyField({ remember, ...field }: KeyFieldProps) {
  const [visible, setVisible] = useState(false)
  const toggle = () => setVisible(!visible)
  return (
    <TextField
      {...field}
      id={KEY_ID}
      label="API key"
      class="mono"
      secret={!visible}
      autocomplete="current-password"
      placeholder="pets_live_…"
      hint={remember ? 'This device keeps it until you sign out.' : 'It is forgotten when you close the page.'}
      beside={
        <Button
          text={visible ? 'Hide' : 'Show'}
          class="quiet"
          aria-pressed={visible}
          aria-label="Show the key"
          onClick={toggle}
        />
      }
    />
  )
}

function focusKey(): void {
  document.getElementById(KEY_ID)?.focus()
}
