// The key that is signed in: in this tab, or on this device if the person asks for that.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { sendRequest } from '../client/request.ts'

export interface SignedIn {
  key: string
  name: string
  readOnly: boolean
}

const NAME = 'petstore.key'
const TIMEOUT_MS = 10_000

/** Asks the service what the key is. Rejects as a call of the client does. */
export async function identify(key: string): Promise<SignedIn> {
  const headers = { Authorization: `Bearer ${key}` }
  const options = { fetch: window.fetch.bind(window), timeoutMs: TIMEOUT_MS, retries: 1, signal: undefined }
  const { name, access }: { name: string; access: string } = JSON.parse(
    (await sendRequest('.', '/key', { headers }, options)).text,
  )
  return { key, name, readOnly: access === 'read-only' }
}

/** Like useState. `undefined` forgets the key in the tab and on the device. */
export function useSignedIn(): [SignedIn | undefined, (next: SignedIn | undefined, remember?: boolean) => void] {
  const [signedIn, set] = useState(read)
  // Signing out in one tab signs out every tab that shares the device's key.
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => key === NAME && newValue === null && set(undefined)
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [])
  const setSignedIn = useCallback((next: SignedIn | undefined, remember = false) => {
    set(next)
    try {
      for (const storage of [sessionStorage, localStorage]) storage.removeItem(NAME)
      if (next) (remember ? localStorage : sessionStorage).setItem(NAME, JSON.stringify(next))
    } catch {
      // Storage is full or forbidden: a reload asks for the key again.
    }
  }, [])
  return [signedIn, setSignedIn]
}

function read(): SignedIn | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '')
  } catch {
    return undefined
  }
}
