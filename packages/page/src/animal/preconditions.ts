// Entity tags for changes that must fail if the animal or order changed since it was shown. The service returns the
// tag of the expected state even for a change that has no effect, so the shown values are sent first with a tag that
// never matches.

import type { CallOptions, Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'

const NO_TAG = '"none"'

/** Rejects with `precondition_failed` if the name or category changed; the status is not compared. */
export async function tagOfPet(
  client: PetstoreClient,
  { id, name, categoryId }: Pet,
  call?: CallOptions,
): Promise<string | undefined> {
  let tag: string | undefined
  await client.updatePet(id, { name, categoryId }, { ...call, ifMatch: NO_TAG, onEntityTag: (given) => (tag = given) })
  return tag
}

export async function tagOfOrder(
  client: PetstoreClient,
  order: Order,
  call?: CallOptions,
): Promise<string | undefined> {
  const { id, reference = null, expiresAt = null } = order
  let tag: string | undefined
  const unchanged = { reference, expiresAt }
  await client.updateOrder(id, unchanged, { ...call, ifMatch: NO_TAG, onEntityTag: (given) => (tag = given) })
  return tag
}

/** Deletes an animal unless it changed since it was shown. */
export async function deleteShown(client: PetstoreClient, pet: Pet, call?: CallOptions): Promise<void> {
  await client.deletePet(pet.id, { ...call, ifMatch: await tagOfPet(client, pet, call) })
}
