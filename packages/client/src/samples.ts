// A hundred realistic pets for demonstrations, screenshots and experiments.

import type { NewPet, PetStatus } from '../../contract/src/generated.ts'
import { randomKey } from './idempotency-key.ts'
import type { PetstoreClient } from './petstore-client.ts'
import type { Pet } from './responses.ts'
import type { CallOptions } from './sender.ts'

const NAMES: readonly (readonly [category: string, categoryId: bigint, names: string])[] = [
  ['Dogs', 1n, 'Biscuit Bruno Clementine Dakota Ernie Fenna Gus Harper Iggy Juno Kona Luna Maple Nacho Otis Pepper'],
  ['Dogs', 1n, 'Quincy Rosie Scout Tilly Umbra Viggo Waffles Xena Yoshi Ziggy'],
  ['Cats', 2n, 'Amélie Bagheera Cleo Dumpling Earl_Grey Félix Ginger Hodge Isis Jasper Kiki Łatka Mochi Nimbus'],
  ['Cats', 2n, 'Olive Pumpkin Queenie Ragnar Saffron Tofu Ursula Velvet Whiskers Yuki Zoë'],
  ['Birds', 3n, 'Archimedes Birdie Coco Dusty Echo Fidget Galileo Hedwig Kiwi Mango Piccolo Rio Sunny Tango'],
  ['Fish', 4n, 'Anchovy Bubbles Captain_Finn Dory Flounder Marlin Neptune Pearl Ripple Sushi'],
  ['Small mammals', 5n, 'Acorn Bean Button Clover Dandelion Hazel Nibbles Oreo Peanut Pippin Smudge Thistle Tumble'],
  ['Reptiles', 6n, 'Cleopatra Draco Freckle Godzilla Jörmungandr Kaa Mortimer Noodle Rango Sheldon Spike Turbo'],
]

/** The names of the categories, for a store that has none. */
export const sampleCategories = Array.from(new Map(NAMES.map(([name, id]) => [id, name])), ([id, name]) => ({
  id,
  name,
}))

/** Most pets in a shop are available. 17 is prime, so the statuses look random in the rows above. */
const STATUSES: readonly PetStatus[] = [...'aasaapaaasaapaasa'].map(
  (letter) => ({ a: 'available', p: 'pending', s: 'sold' })[letter] as PetStatus,
)

export const samplePets: readonly NewPet[] = NAMES.flatMap(([, categoryId, names]) =>
  names.split(' ').map((name) => ({ name: name.replace('_', ' '), categoryId })),
).map((pet, index) => ({ ...pet, status: STATUSES[index % STATUSES.length] as PetStatus }))

/** The references of the sample orders. */
const CUSTOMERS = ['Ada Novak', 'Mr Okafor', 'Lena', 'till 3', 'Zoë and Sam', 'the Ivanovs', 'Priya']

interface SampleCalls<Added> {
  createPet(pet: NewPet): Promise<Added>
  placeOrder(order: { petId: bigint; reference: string }): Promise<{ id: bigint }>
  completeOrder(id: bigint): Promise<unknown>
}

/** Adds the pet at this index of `samplePets`. A pending or sold pet gets an order. */
export async function addSample<Added extends { id: bigint }>(
  index: number,
  { createPet, placeOrder, completeOrder }: SampleCalls<Added>,
): Promise<Added> {
  const { status, ...pet } = samplePets[index] as NewPet
  const added = await createPet(pet)
  if (status === 'available') return added
  const { id } = await placeOrder({ petId: added.id, reference: CUSTOMERS[index % CUSTOMERS.length] as string })
  if (status === 'sold') await completeOrder(id)
  return { ...added, status }
}

const CONCURRENCY = 10

/**
 * Adds the sample pets and yields each one. A repeated call with the same `run` only adds missing pets. Stops after the current batch when `until` is aborted.
 */
export async function* addSamples(
  client: PetstoreClient,
  { run = randomKey(), until, ...options }: CallOptions & { run?: string; until?: AbortSignal } = {},
): AsyncGenerator<Pet, void, undefined> {
  const add = (index: number): Promise<Pet> =>
    addSample(index, {
      createPet: (pet) => client.createPet(pet, { ...options, idempotencyKey: `${run}-${index}` }),
      placeOrder: (order) => client.placeOrder(order, { ...options, idempotencyKey: `${run}-${index}-order` }),
      completeOrder: (id) => client.completeOrder(id, options),
    })
  for (let from = 0; from < samplePets.length && !until?.aborted; from += CONCURRENCY) {
    yield* await Promise.all(samplePets.slice(from, from + CONCURRENCY).map((_, index) => add(from + index)))
  }
}
