// What a change is made on the condition of: that an animal or an order is still what was shown. The service gives the tag that says so with
// every change, also with one that changes nothing: so what was shown is sent first, and is refused where it has become something else.

import type { CallOptions, Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'

/** Matches nothing. */
const NO_TAG = '"none"'

/** Resolves with its tag, or rejects with `precondition_failed`. Whether it is reserved or sold by now does not count. */
export async function tagOfPet(
  client: PetstoreClient,
  { id, name, categoryId }: Pet,
  call?: CallOptions,
): Promise<string | undefined> {
  let tag: string | undefined
  await client.updatePet(id, { name, categoryId }, { ...call, ifMatch: NO_TAG, onEntityTag: (given) => (tag = given) })
  return tag
}

/** As `tagOfPet`. */
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

/** Deletes an animal if it is still what was shown. */
export async function deleteShown(client: PetstoreClient, pet: Pet, call?: CallOptions): Promise<void> {
  await client.deletePet(pet.id, { ...call, ifMatch: await tagOfPet(client, pet, call) })
}
