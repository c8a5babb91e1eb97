// The key that is signed in: in this tab, or on this device if the person asks for that.

import { useCallback, useEffect, useState } from 'preact/hooks'

export interface SignedIn {
  key: string
  readOnly: boolean
}

const NAME = 'petstore.key'

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
    const { key, readOnly } = JSON.parse(sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '')
    return { key: String(key), readOnly: readOnly === true }
  } catch {
    return undefined
  }
}
