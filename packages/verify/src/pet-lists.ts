// The lists of pets that checks judge, and complete lists on a server that other clients use.

import type { JsonObject } from '../../contract/src/json.ts'
import { type Answer, number, textOf } from './answer.ts'
import { addPet, orElse, retryStale, STATUSES, times } from './fixtures.ts'
import type { Probe } from './probe.ts'

const DEFAULT_LIMIT = 20
/** The name of pets in creates that the server must reject. */
export const REFUSED_PET = 'refused pet'
/** A category that needs more than 53 bits. */
export const LARGE = 9007199254740993n

/** Whether a server added this pet by mistake, now or in an earlier run. The promise of that create reports it. */
function isLeftBehind(pet: JsonObject): boolean {
  const [name, categoryId] = [pet.get('name'), pet.get('categoryId')]
  if (typeof name === 'string') return name.startsWith(`petstore verify ${REFUSED_PET}`)
  return categoryId === undefined || textOf(categoryId) === String(LARGE)
}

/** Leaves out pets that the server added by mistake, unless there are no others. */
export function soundPets(pets: readonly JsonObject[]): readonly JsonObject[] {
  const sound = pets.filter((pet) => !isLeftBehind(pet))
  return sound.length > 0 ? sound : pets
}

/** Resolves with GET /pets, after adding pets of each status if that is allowed. */
export function firstList(probe: Probe): Promise<Answer> {
  return probe.shared('first list', async (own) => {
    await seeded(own)
    const look = async () => {
      const answer = await own.get('/pets')
      if (own.target.write && answer.text.trim() === '[]') throw answer.broken('a pet', '[]')
      return answer
    }
    return (await orElse(retryStale(look), undefined)) ?? own.get('/pets')
  })
}

/** Resolves with the list of each status from before the checks added pets, when it can be empty. */
export function firstOfStatuses(probe: Probe): Promise<Answer[]> {
  return probe.shared('lists by status', (own) =>
    Promise.all(STATUSES.map((status) => own.get(`/pets?status=${status}`))),
  )
}

/**
 * Adds pets of each status, if that is allowed, so that the available ones exceed the default limit. Ignores errors.
 */
export function seeded(probe: Probe): Promise<void> {
  return probe.shared('seeds', async (own) => {
    if (!own.target.write) return
    const seed = async () => {
      const there = (await own.get('/pets?limit=100&status=available')).objects().length
      const wanted = own.isRateLimited ? 0 : DEFAULT_LIMIT + STATUSES.length - there
      await times(own, Math.max(wanted, STATUSES.length), (n) => addPet(own, { status: STATUSES[n] ?? 'available' }))
    }
    await orElse(seed(), undefined)
  })
}

/** Resolves with a pet of the first list. Rejects with Unjudged if the list is empty. */
export async function listedPet(probe: Probe): Promise<JsonObject> {
  const answer = await firstList(probe)
  const [pet] = answer.status === 200 ? soundPets(answer.objects()) : []
  if (!pet) throw probe.unjudged('The server lists no pet.')
  return pet
}

export async function somePetId(probe: Probe): Promise<string> {
  return textOf((await listedPet(probe)).get('id'))
}

/**
 * Resolves with the list at `path`, which ends in `?` or `&`, if it is complete. A server can return fewer items than
 * `limit`, so a list is only complete if it is short or the server has shown a longer one. Otherwise resolves with
 * `undefined`.
 */
export async function listIfWhole(probe: Probe, path: string) {
  const answer = await probe.read(`${path}limit=100`)
  const items = answer.objects()
  const whole = items.length < DEFAULT_LIMIT || items.length < (await longestList(probe, items.length))
  return whole ? { answer, items } : undefined
}

/** As `listIfWhole`, but rejects with Unjudged if the list can be longer. */
export async function wholeList(probe: Probe, path: string) {
  const list = await listIfWhole(probe, path)
  if (list) return list
  throw probe.unjudged('The list is too long to be read completely.')
}

/**
 * Resolves with the number of pets in the longest list that the server shows. Adds a pet, if that is allowed, to make
 * the list longer than `length`. A random limit avoids cached responses.
 */
async function longestList(probe: Probe, length: number): Promise<number> {
  const limit = () => 100 - Math.floor(Math.random() * Math.max(1, 99 - length))
  const count = async () => (await probe.read(`/pets?limit=${limit()}`)).array().length
  const now = await count()
  if (now > length || !probe.target.write) return now
  await addPet(probe)
  return count()
}

/** Expects the list to contain the item with all its members, and no other pet with that name. */
export async function expectListed(probe: Probe, path: string, expected: JsonObject): Promise<void> {
  await retryStale(async () => {
    const { answer, items } = await wholeList(probe, path)
    const id = textOf(expected.get('id'))
    const item = items.find((one) => textOf(one.get('id')) === id)
    if (!item) throw answer.broken(`pet ${id} in the list`, `a list of ${items.length} without it`)
    answer.expectMembers(expected, item)
    // After a rate limit, a create may have been sent twice.
    const { length } = items.filter((one) => textOf(one.get('name')) === textOf(expected.get('name')))
    answer.expect(length === 1 || probe.isRateLimited, 'one pet for one create', `${length} pets with the same name`)
  })
}

/** Returns the pet as it was sent, with the id from the response. */
export function petOf(answer: Answer, fields: { name: string; categoryId: bigint; status: string }): JsonObject {
  const { name, categoryId, status } = fields
  return new Map(
    Object.entries({ id: answer.object().get('id') ?? null, name, categoryId: number(categoryId), status }),
  )
}
