// Shared by the checks: test pets, their names and categories, preparations and retries.

import { PET_STATUSES } from '../../contract/src/generated.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { type Answer, textOf } from './answer.ts'
import { type Probe, type RequestOptions, TimeUp } from './probe.ts'
import { Broken, Unjudged } from './request.ts'

export const STATUSES = PET_STATUSES
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

/** Returns a word that is in no name, for a search. */
export const newWord = () => `w${crypto.randomUUID().slice(0, 8)}`

export type Fields = Record<string, unknown>

/** Returns the body of a create without its undefined fields. */
export function petBody(fields: Fields = {}): string {
  return stringifyJson({ name: newName(), categoryId: 7n, status: 'available', ...fields })
}

/** Adds a pet in a category that the server accepts. */
export async function addPet(probe: Probe, fields: Fields = {}, options?: RequestOptions): Promise<Answer> {
  const body = petBody({ categoryId: await categoryOf(probe), ...fields })
  return (await probe.post('/pets', body, options)).expectStatus(201)
}

/** Resolves with a category that the server accepts: a listed pet's, or the first of CATEGORIES that works. */
export function categoryOf(probe: Probe): Promise<bigint> {
  return probe.shared('category', async (own) => {
    const pets = own.get('/pets').then((answer) => answer.objects())
    const [listed] = await orElse(pets, [])
    const known = listed?.get('categoryId')
    if (known !== undefined && /^-?\d{1,19}$/.test(textOf(known))) return BigInt(textOf(known))
    for (const categoryId of own.target.write ? CATEGORIES : []) {
      const isTaken = own.post('/pets', petBody({ categoryId })).then(({ status }) => status === 201)
      if (await orElse(isTaken, false)) return categoryId
    }
    return CATEGORIES[0]
  })
}
const CATEGORIES = [7n, 1n] as const

/** Ignores failures, because another promise reports them. */
export async function orElse<Value>(look: Promise<Value>, otherwise: Value): Promise<Value> {
  return look.catch((error) => {
    if (error instanceof Broken || error instanceof TimeUp) return otherwise
    throw error
  })
}

/** Returns an id that no pet and no order has, because it is so large. */
export function absentId(): string {
  return String(2 ** 52 + Math.floor(Math.random() * 2 ** 52))
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
export function asPremise<Value>(step: Promise<Value>): Promise<Value> {
  return step.catch((error) => {
    throw error instanceof Broken ? new Unjudged(`A preparation failed: ${error.message}.`) : error
  })
}

/** Prepares something once for all checks, as `asPremise`. */
export function prepareOnce<Value>(probe: Probe, name: string, make: (own: Probe) => Promise<Value>): Promise<Value> {
  return probe.shared(name, (own) => asPremise(make(own)))
}

/** Retries a check that can fail because another client changed the store at the same time. */
export async function retryRaces<Value>(look: () => Promise<Value>, tries = TRIES): Promise<Value> {
  for (let n = 1; ; n++) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Broken) || n === tries) throw error
      await Bun.sleep(PAUSE_MS * 2 ** (n - 1))
    }
  }
}

/** As `retryRaces`, for a server that can read from a stale replica. */
export const retryStale = <Value>(look: () => Promise<Value>) => retryRaces(look, PATIENT_TRIES)
