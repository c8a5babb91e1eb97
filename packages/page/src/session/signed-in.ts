// Keeps the key that is signed in, for this tab or, if the person asks for it, for this device.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { objectOf, readJson, string } from '../../../client/src/responses.ts'
import { sendRequest } from '../../../client/src/retries.ts'
import { TIMEOUT_MS } from '../failures.ts'
import { joinTabs, type SignedIn, STORED_KEY, storedKey } from './tab-keys.ts'

/** Accepts a key that was copied with its header: `Authorization: Bearer pets_live_…`, quoted or not. */
export function keyIn(text: string): string {
  const [, key = ''] = /^["']?(?:authorization:)?\s*(?:bearer\s)?\s*(.*?)["']?$/i.exec(text.trim()) ?? []
  return key
}

/** Rejects with the client's errors. */
export async function identify(key: string): Promise<SignedIn> {
  const headers = { Authorization: `Bearer ${key}` }
  const options = { fetch: window.fetch.bind(window), timeoutMs: TIMEOUT_MS, retries: 1, signal: AbortSignal.any([]) }
  const { response, text } = await sendRequest('.', '/key', { headers }, options)
  const { name, access } = readJson(response, text, objectOf({ name: string, access: string }))
  return { key, name, readOnly: access === 'read-only' }
}

/** Resolves with the service's reason for a 401, or with `undefined` if it is the response of a proxy. */
export async function refusalIn(response: Response): Promise<string | undefined> {
  const body: { code?: string; message?: string } | null = await response.json().catch(() => null)
  return body?.code && body.message
}

/** `found`: the key found when this tab opened. `onSignedOut` is also called if another tab signs out. */
export function useSignedIn(found: SignedIn | undefined, onSignedOut: () => void) {
  const [signedIn, set] = useState(found)
  const latest = useRef({ signedIn, onSignedOut })
  latest.current = { signedIn, onSignedOut }
  const tabs = useRef<ReturnType<typeof joinTabs>>(undefined)
  const keep = useCallback((next: SignedIn, remember = false) => {
    set(next)
    store(() => true, next, remember)
  }, [])
  /** Forgets the key in this tab and on this device, unless another tab has stored a different one. */
  function forget(): void {
    const mine = JSON.stringify(latest.current.signedIn)
    set(undefined)
    store((stored) => stored === mine)
  }
  function leave(): void {
    set(undefined)
    store(() => true)
    latest.current.onSignedOut()
  }
  useEffect(() => {
    if (found && !storedKey()) keep(found)
    tabs.current = joinTabs(() => latest.current.signedIn, leave)
    return tabs.current.close
  }, [])
  return {
    signedIn,
    signIn: keep,
    forget,
    signOut: () => {
      leave()
      tabs.current?.signOut()
    },
  }
}

/** Removes each stored value for which `drops` is true, and then stores `next`. */
function store(drops: (stored: string | null) => boolean, next?: SignedIn, remember = false): void {
  try {
    for (const storage of [sessionStorage, localStorage]) {
      if (drops(storage.getItem(STORED_KEY))) storage.removeItem(STORED_KEY)
    }
    if (next) (remember ? localStorage : sessionStorage).setItem(STORED_KEY, JSON.stringify(next))
  } catch {
    // Storage is full or forbidden, so a reload asks for the key again.
  }
}
