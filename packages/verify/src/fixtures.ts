// What checks share: pets of their own, the lists that are judged, and what a list is known to hold on a server where others write, too.

import { type JsonObject, stringifyJson } from '../../contract/src/json.ts'
import { type Answer, number, textOf } from './answer.ts'
import { type Probe, type RequestOptions, TimeUp } from './probe.ts'
import { Broken, Unjudged } from './request.ts'

export const STATUSES = ['available', 'pending', 'sold'] as const
const DEFAULT_LIMIT = 20
const TRIES = 4
/** Looks for three seconds in all: at the level interface a server may read from a copy that is behind. */
export const PATIENT_TRIES = 7
export const PAUSE_MS = 50

let named = 0
const run = crypto.randomUUID().slice(0, 8)

/** Tells that the pet is one of ours; another one each time. */
export function newName(what = 'pet'): string {
  return `petstore verify ${what} ${run} ${++named}`
}

/** The name of pets in creates that the server has to refuse. */
export const REFUSED_PET = 'refused pet'
/** A category of more than 53 bits. */
export const LARGE = 9007199254740993n

/** Whether the pet comes from a create that the server had to refuse, in this examination or an earlier one: the promise of the create reports it. */
function isLeftBehind(pet: JsonObject): boolean {
  const [name, categoryId] = [pet.get('name'), pet.get('categoryId')]
  if (typeof name === 'string') return name.startsWith(`petstore verify ${REFUSED_PET}`)
  return categoryId === undefined || textOf(categoryId) === String(LARGE)
}

/** Leaves out the pets of creates that the server had to refuse, unless no others are there. */
export function soundPets(pets: readonly JsonObject[]): readonly JsonObject[] {
  const sound = pets.filter((pet) => !isLeftBehind(pet))
  return sound.length > 0 ? sound : pets
}

/** A word that no name has, for a search. */
export const newWord = () => `w${crypto.randomUUID().slice(0, 8)}`

/** The body of a create; a field that is undefined is left out. */
export function petBody(fields: Record<string, unknown> = {}): string {
  return stringifyJson({ name: newName(), categoryId: 7n, status: 'available', ...fields })
}

/** Adds a pet, in a category that the server takes. */
export async function addPet(
  probe: Probe,
  fields: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<Answer> {
  const body = petBody({ categoryId: await categoryOf(probe), ...fields })
  return (await probe.post('/pets', body, options)).expectStatus(201)
}

/** A category that exists, as far as categories have to: one of a listed pet, or of the few that are tried. */
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

/** What goes wrong here is another promise's. */
async function lookAt<Value>(look: Promise<Value>, otherwise: Value): Promise<Value> {
  return look.catch((error) => {
    if (error instanceof Broken || error instanceof TimeUp) return otherwise
    throw error
  })
}

/** An id that no pet and no order has: nobody counts so far. */
export function absentId(): string {
  return String(2 ** 52 + Math.floor(Math.random() * 2 ** 52))
}

/** GET /pets, of a store that has pets of each status where they may be added. */
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

/** Returns the list of each status as it was before the checks added pets, when it may have been empty. */
export function firstOfStatuses(probe: Probe): Promise<Answer[]> {
  return probe.shared('lists by status', (own) =>
    Promise.all(STATUSES.map((status) => own.get(`/pets?status=${status}`))),
  )
}

/** If pets may be added, adds some of each status, and more available ones than a list shows without `limit`. Errors are another promise's. */
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

/** Does it so often, several at once where the server allows that. */
export async function times(probe: Probe, count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; ) {
    const together = probe.isRateLimited || n === 0 ? 1 : Math.min(TOGETHER, count - n)
    await Promise.all(Array.from({ length: together }, () => act(n++)))
  }
}
const TOGETHER = 8

/** A step before the one that is judged: what is broken in it is another promise's. */
export function preliminary<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((error) => {
    throw error instanceof Broken ? new Unjudged(`Something before it is broken: ${error.message}.`) : error
  })
}

/** Shared, and preliminary. */
export function prepared<Value>(probe: Probe, name: string, make: (own: Probe) => Promise<Value>): Promise<Value> {
  return probe.shared(name, (own) => preliminary(make(own)))
}

/** A pet of the first list; where pets may be added, there is one. */
export async function listedPet(probe: Probe): Promise<JsonObject> {
  const answer = await firstList(probe)
  const [pet] = answer.status === 200 ? soundPets(answer.objects()) : []
  if (!pet) throw new Unjudged('There is no pet to look at.')
  return pet
}

export async function somePetId(probe: Probe): Promise<string> {
  return textOf((await listedPet(probe)).get('id'))
}

/** What is broken only because somebody else changed the store meanwhile holds when one looks again. */
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
 * The list at `path`, which ends in `?` or `&`, when it surely shows everything: a server may give fewer than `limit`, so a list is known to be
 * whole only when it is short or a longer one was seen. Throws Unjudged when that is not known.
 */
export async function wholeList(probe: Probe, path: string): Promise<{ answer: Answer; items: JsonObject[] }> {
  const answer = await probe.read(`${path}limit=100`)
  const items = answer.objects()
  const whole = items.length < DEFAULT_LIMIT || items.length < (await longestList(probe, items.length))
  if (whole) return { answer, items }
  throw new Unjudged('The list is too long to be seen whole.')
}

/**
 * Returns the number of pets in the longest list that the server shows. If pets may be added, adds one, so that the list can be longer than
 * `length`. The limit is random, so that no cache has the answer.
 */
async function longestList(probe: Probe, length: number): Promise<number> {
  const limit = () => 100 - Math.floor(Math.random() * Math.max(1, 99 - length))
  const count = async () => (await probe.read(`/pets?limit=${limit()}`)).array().length
  const now = await count()
  if (now > length || !probe.target.write) return now
  await addPet(probe)
  return count()
}

/** Expects the item in the list, with all its members, and no other pet of its name. */
export async function expectListed(probe: Probe, path: string, expected: JsonObject): Promise<void> {
  await eventually(async () => {
    const { answer, items } = await wholeList(probe, path)
    const id = textOf(expected.get('id'))
    const item = items.find((one) => textOf(one.get('id')) === id)
    if (!item) throw answer.broken(`pet ${id} in the list`, `a list of ${items.length} without it`)
    answer.expectMembers(expected, item)
    // After a rate limit, a create may have been sent twice.
    const { length } = items.filter((one) => textOf(one.get('name')) === textOf(expected.get('name')))
    answer.expect(length === 1 || probe.isRateLimited, 'one pet for one create', `${length} pets of the same name`)
  }, PATIENT_TRIES)
}

/** The pet as it was sent, with the id of the answer. */
export function petOf(answer: Answer, fields: { name: string; categoryId: bigint; status: string }): JsonObject {
  const { name, categoryId, status } = fields
  return new Map(
    Object.entries({ id: answer.object().get('id') ?? null, name, categoryId: number(categoryId), status }),
  )
}
