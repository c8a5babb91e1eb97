// Opens a store for one command. Services can use it at the same time.

import type { Config } from '../../service/src/config/read-config.ts'
import { SETTINGS } from '../../service/src/config/settings.ts'
import { noStoreAt } from '../../service/src/domain/start-error.ts'
import type { Store } from '../../service/src/domain/store.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { kindOf } from '../../service/src/store/kinds.ts'
import { wallMs } from '../../service/src/system/runtime.ts'

/** Throws StartError if there is no store, or it has an older schema. `more` follows the advice. */
export async function withStore<Result>({ database }: Config, use: (store: Store) => Promise<Result>, more?: string) {
  requireStore(database, more)
  const store = await kindOf(database).open(database, { now: wallMs, current: true })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Throws StartError if the store is a file that does not exist. */
export function requireStore(database: string, more = ''): void {
  if (kindOf(database).exists(database)) return
  const advice = ` Name it with PETSTORE_DATABASE or --database (default: ${SETTINGS.database.default}).${more}`
  throw noStoreAt(absolutePath(database), advice)
}
