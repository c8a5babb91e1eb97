// Shared by the checks: test pets, the lists that they judge, and complete lists on a server that other clients use.

import { type JsonObject, stringifyJson } from '../../contract/src/json.ts'
import { type Answer, number, textOf } from './answer.ts'
import { type Probe, type RequestOptions, TimeUp } from './probe.ts'
import { Broken, Unjudged } from './request.ts'

export const STATUSES = ['available', 'pending', 'sold'] as const
const DEFAULT_LIMIT = 20
const TRIES = 4
/** Three seconds in total: at the level `interface`, a server can read from a stale replica. */
export const PATIENT_TRIES = 7
export const PAUSE_MS = 50

let named = 0
const run = crypto.randomUUID().slice(0, 8)

/** Returns a unique name that marks the pet as ours. */
export function newName(what = 'pet'): string {
  return `petstore verify ${what} ${run} ${++named}`
}

/** The name of pets in creates that the server must refuse. */
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

/** Returns a word that is in no name, for a search. */
export const newWord = () => `w${crypto.randomUUID().slice(0, 8)}`

/** Returns the body of a create without its undefined fields. */
export function petBody(fields: Record<string, unknown> = {}): string {
  return stringifyJson({ name: newName(), categoryId: 7n, status: 'available', ...fields })
}

/** Adds a pet in a category that the server accepts. */
export async function addPet(
  probe: Probe,
  fields: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<Answer> {
  const body = petBody({ categoryId: await categoryOf(probe), ...fields })
  return (await probe.post('/pets', body, options)).expectStatus(201)
}

/** Resolves with a category that the server accepts: a listed pet's, or the first of CATEGORIES that works. */
export function categoryOf(probe: Probe): Promise<bigint> {
  return probe.shared('category', async (own) => {
    const [listed] = await lookAt(
      own.get('/pets').then((answer) => answer.objects()),
      [],
    )
    const known = listed?.get('categoryId')
    if (known !== undefined && /^-?\d{1,19}$/.test(textOf(known))) return BigInt(textOf(known))
    for (const categoryId of own.target.write ? CATEGORIES : []) {
      const status = await lookAt(
        own.post('/pets', petBody({ categoryId })).then((answer) => answer.status),
        0,
      )
      if (status === 201) return categoryId
    }
    return CATEGORIES[0]
  })
}
const CATEGORIES = [7n, 1n] as const

/** Ignores failures, because another promise reports them. */
async function lookAt<Value>(look: Promise<Value>, otherwise: Value): Promise<Value> {
  return look.catch((error) => {
    if (error instanceof Broken || error instanceof TimeUp) return otherwise
    throw error
  })
}

/** Returns an id that no pet and no order has, because it is so large. */
export function absentId(): string {
  return String(2 ** 52 + Math.floor(Math.random() * 2 ** 52))
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
    return eventually(look, PATIENT_TRIES).catch((error) => {
      if (error instanceof Broken) return own.get('/pets')
      throw error
    })
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
    await lookAt(seed(), undefined)
  })
}

/** Calls `act` `count` times, several at a time unless the server limits the rate. */
export async function times(probe: Probe, count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; ) {
    const together = probe.isRateLimited || n === 0 ? 1 : Math.min(TOGETHER, count - n)
    await Promise.all(Array.from({ length: together }, () => act(n++)))
  }
}
const TOGETHER = 8

/** Awaits a preparation. If it fails, this promise is not judged, because another promise reports the failure. */
export function preliminary<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((error) => {
    throw error instanceof Broken ? new Unjudged(`A preparation failed: ${error.message}.`) : error
  })
}

/** Prepares something once for all checks, as `preliminary`. */
export function prepared<Value>(probe: Probe, name: string, make: (own: Probe) => Promise<Value>): Promise<Value> {
  return probe.shared(name, (own) => preliminary(make(own)))
}

/** Resolves with a pet of the first list. Rejects with Unjudged if the list is empty. */
export async function listedPet(probe: Probe): Promise<JsonObject> {
  const answer = await firstList(probe)
  const [pet] = answer.status === 200 ? soundPets(answer.objects()) : []
  if (!pet) throw new Unjudged('The server lists no pet.')
  return pet
}

export async function somePetId(probe: Probe): Promise<string> {
  return textOf((await listedPet(probe)).get('id'))
}

/** Retries a check that can fail because another client changed the store at the same time. */
export async function eventually<Value>(look: () => Promise<Value>, tries = TRIES): Promise<Value> {
  for (let n = 1; ; n++) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Broken) || n === tries) throw error
      await Bun.sleep(PAUSE_MS * 2 ** (n - 1))
    }
  }
}

/**
 * Resolves with the list at `path`, which ends in `?` or `&`, if it is complete. A server can return fewer items than
 * `limit`, so a list is only complete if it is short or the server has shown a longer one. Otherwise rejects with
 * Unjudged.
 */
export async function wholeList(probe: Probe, path: string): Promise<{ answer: Answer; items: JsonObject[] }> {
  const answer = await probe.read(`${path}limit=100`)
  const items = answer.objects()
  const whole = items.length < DEFAULT_LIMIT || items.length < (await longestList(probe, items.length))
  if (whole) return { answer, items }
  throw new Unjudged('The list is too long to be read completely.')
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
  await eventually(async () => {
    const { answer, items } = await wholeList(probe, path)
    const id = textOf(expected.get('id'))
    const item = items.find((one) => textOf(one.get('id')) === id)
    if (!item) throw answer.broken(`pet ${id} in the list`, `a list of ${items.length} without it`)
    answer.expectMembers(expected, item)
    // After a rate limit, a create can have been sent twice.
    const { length } = items.filter((one) => textOf(one.get('name')) === textOf(expected.get('name')))
    answer.expect(length === 1 || probe.isRateLimited, 'one pet for one create', `${length} pets with the same name`)
  }, PATIENT_TRIES)
}

/** Returns the pet as it was sent, with the id from the response. */
export function petOf(answer: Answer, fields: { name: string; categoryId: bigint; status: string }): JsonObject {
  const { name, categoryId, status } = fields
  return new Map(
    Object.entries({ id: answer.object().get('id') ?? null, name, categoryId: number(categoryId), status }),
  )
}
