// Opens the store of `petstore serve`: with log and metrics, its first API key, sample pets, and a reset for tests of
// other programs.

import { addSample, sampleCategories, samplePets } from '../../client/src/samples.ts'
import type { Config } from '../../service/src/config/read-config.ts'
import { generateKey, hashKey, type KeyId, type KeyStore, keptOfKey } from '../../service/src/domain/keys.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import type { Store, StoreOptions, StoreVersion } from '../../service/src/domain/store.ts'
import { logExpired } from '../../service/src/http/expiry.ts'
import type { Log } from '../../service/src/observability/log.ts'
import type { Metrics } from '../../service/src/observability/metrics.ts'
import { kindOf, openStore } from '../../service/src/store/kinds.ts'
import { monotonicMs } from '../../service/src/system/runtime.ts'
import { startSelf } from './child-process.ts'

/** The minimum time between two lines about PostgreSQL with the same reason. */
const LOG_AGAIN_MS = 60_000

/** Opens a store that logs and counts its changes and failures. */
export async function openObserved(
  address: string,
  log: Log,
  metrics: Metrics | undefined,
  options: Pick<StoreOptions, 'now' | 'monotonic' | 'identity'>,
): Promise<Store> {
  const isDue = onceAMinute()
  const store = await openStore(address, {
    ...options,
    serves: true,
    onMigration: (sentence) => log.info({}, sentence),
    onTrouble: ({ lost, reason }) =>
      lost ? log.error({ reason }, 'store lost') : log.warn({ reason }, 'store in danger'),
    onConnectionFailure: connectionFailureLog(log),
    onPrimaryChange(change) {
      if (isDue(`${change.reason} ${change.host}`)) log.info(change, 'primary')
    },
    onBatch: metrics?.batch,
    onTransitions(transitions) {
      metrics?.transitions(transitions)
      logExpired(log, transitions)
    },
  })
  metrics?.watch({ pool: store.pool, lockWaitSeconds: store.lockWaitSeconds })
  return metrics?.timed(store) ?? store
}

/**
 * Migrates a file of an older schema in another process, because SQLite would block this one, which responds to health
 * checks in the meantime. Throws StartError.
 */
export async function migrateAside({ database }: Config, log: Log): Promise<void> {
  if (!kindOf(database).files?.isOlder(database)) return
  const child = startSelf(['migrate', '--apply', '--database', database], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [output, status] = await Promise.all([child.stderr.text(), child.exited])
  const message = output.replace(/^petstore: /, '').trimEnd()
  // If there is no message, opening the store reports the problem.
  if (status !== 0 && message !== '') throw new StartError(message)
  if (message !== '') log.info({}, message)
}

/** Returns a function that logs an error, at most once a minute for each reason. */
export function connectionFailureLog(log: Log): (error: unknown) => void {
  const isDue = onceAMinute()
  return (error) => {
    const { code, message } = error as Error & { code?: string }
    if (isDue(`${code} ${message}`)) log.warn({ err: error }, 'no further connection to PostgreSQL')
  }
}

function onceAMinute(): (reason: string) => boolean {
  const loggedAt = new Map<string, number>()
  return (reason) => {
    const now = monotonicMs()
    for (const [logged, at] of loggedAt) if (now - at >= LOG_AGAIN_MS) loggedAt.delete(logged)
    if (loggedAt.has(reason)) return false
    loggedAt.set(reason, now)
    return true
  }
}

/** Resolves with the new key, or `undefined` if the store already has keys. */
export async function addFirstKey(store: KeyStore, { bootstrapKey, environment }: Config, log: Log) {
  const text = bootstrapKey ?? generateKey(environment)
  const kept = keptOfKey(text)
  if (await store.createFirstKey({ name: 'first', ...kept, readOnly: false, expiresAt: undefined })) return text
  if (bootstrapKey && !(await store.findKey(kept.hash))) {
    log.warn({}, 'PETSTORE_BOOTSTRAP_KEY is not used: the store has keys already')
  }
  return undefined
}

/** Writes to the store directly, without the rate limit. */
export async function fillWithSamples(store: Store, key: string): Promise<void> {
  const by = (await store.findKey(hashKey(key)))?.id as KeyId
  const calls: Parameters<typeof addSample>[1] = {
    createPet: async (pet) => (await store.createPet({ ...pet, status: 'available' }, by)).value,
    placeOrder: async (order) => (await store.placeOrder(order, by)).value,
    completeOrder: (id) => store.completeOrder(id, by),
  }
  await store.setNames(sampleCategories, () => undefined)
  await Promise.all(samplePets.map((_, index) => addSample(index, calls)))
}

/** Opens an in-memory store that can be emptied while it is served. */
export async function resettable(open: () => Promise<Store>) {
  let current = await open()
  let resets = 0
  /** Differs from all versions of earlier stores, so that no cached responses of earlier stores are used. */
  const version = (): StoreVersion => {
    const base = resets * 2 ** 32
    const { data, keys } = current.version()
    return { data: data === undefined ? data : base + data, keys: base + keys }
  }
  return {
    store: new Proxy({} as Store, {
      get: (_, name) => (name === 'version' ? version : current[name as keyof Store]),
    }),
    /** Replaces the store by an empty one. Calls to the old one still complete. */
    async reset(): Promise<void> {
      const next = await open()
      const old = current
      current = next
      resets++
      await old.close()
    },
  }
}
