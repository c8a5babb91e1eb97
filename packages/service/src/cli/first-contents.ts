// What `petstore serve` puts into a new store: the first API key and, with --demo, the sample pets.

import { customerOf, samplePets } from '../../../client/src/samples.ts'
import type { NewPet } from '../../../contract/src/generated.ts'
import type { Config } from '../config/read-config.ts'
import { generateKey, hashKey, type KeyId, type KeyStore, keptOfKey } from '../domain/keys.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../observability/log.ts'

/** Resolves with the API key, or `undefined` when the store has keys already. */
export async function addFirstKey(
  store: KeyStore,
  { bootstrapKey, environment }: Config,
  log: Log,
): Promise<string | undefined> {
  const text = bootstrapKey ?? generateKey(environment)
  const kept = keptOfKey(text)
  if (await store.createFirstKey({ name: 'first', ...kept, readOnly: false, expiresAt: undefined })) return text
  if (bootstrapKey && !(await store.findKey(kept.hash))) {
    log.warn({}, 'PETSTORE_BOOTSTRAP_KEY is not used: the store has keys already')
  }
  return undefined
}

/** In the store itself: no rate limit slows it. */
export async function fillWithSamples(store: Store, key: string): Promise<void> {
  const by = (await store.findKey(hashKey(key)))?.id as KeyId
  const add = async ({ status, ...pet }: NewPet, index: number) => {
    const { value } = await store.createPet({ ...pet, status: 'available' }, by)
    if (status === 'available') return
    const { value: order } = await store.placeOrder({ petId: value.id, reference: customerOf(index) }, by)
    if (status === 'sold') await store.completeOrder(order.id, by)
  }
  await Promise.all(samplePets.map(add))
}
