// A store in memory that can be emptied while it is served: `serve --ephemeral --stdin`, for the tests of other programs.

import type { Store, StoreVersion } from '../domain/store.ts'

interface Resettable {
  store: Store
  /** Resolves when the store has been replaced by an empty one. Calls to the old one still complete. */
  reset(): Promise<void>
}

export async function resettable(open: () => Promise<Store>): Promise<Resettable> {
  let current = await open()
  let resets = 0
  /** Differs from every version of an earlier store, so that nothing cached from that store is used. */
  const version = (): StoreVersion => {
    const base = resets * 2 ** 32
    const { data, keys } = current.version()
    return { data: data === undefined ? data : base + data, keys: base + keys }
  }
  return {
    store: new Proxy({} as Store, {
      get: (_, name) => (name === 'version' ? version : current[name as keyof Store]),
    }),
    async reset() {
      const next = await open()
      const old = current
      current = next
      resets++
      await old.close()
    },
  }
}
