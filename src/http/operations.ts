// What each operation of the contract does, one function per operationId: a missing one does not compile.

import type { Operations } from '../contract/generated.ts'
import { PetstoreError } from '../domain/errors.ts'
import type { ApiKey } from '../domain/keys.ts'
import type { NewPet, PetStore } from '../domain/pets.ts'
import { stringifyJson } from '../json/json.ts'
import { decodeCursor, nextLink } from './request/cursor.ts'
import { type RunningKeys, readIdempotencyKey } from './request/idempotency-key.ts'
import { type Answer, created, ok } from './response/answer.ts'

/** What an operation may use. */
export interface Services {
  pets: PetStore
  /** Idempotency keys of requests that this server has not answered yet. */
  running: RunningKeys
}

interface Handler<Operation extends keyof Operations> {
  (
    services: Services,
    caller: ApiKey,
    parameters: Operations[Operation]['parameters'],
    /** As validated: defaults filled in. */
    body: Required<Operations[Operation]['body']>,
  ): Promise<Answer>
  /** What it answered one caller may be given to another (http/response/list-cache.ts). */
  readonly shared?: boolean
}

/** Marks an operation whose answers follow from its parameters and the store alone: its function is not even told who asks. */
function shared<Operation extends keyof Operations>(
  answer: (services: Services, parameters: Operations[Operation]['parameters']) => Promise<Answer>,
): Handler<Operation> {
  const handler: Handler<Operation> = (services, _caller, parameters) => answer(services, parameters)
  return Object.assign(handler, { shared: true })
}

export const handlers: { [Operation in keyof Operations]: Handler<Operation> } = {
  listPets: shared<'listPets'>(async ({ pets }, { limit, status, cursor }) => {
    const page = await pets.listPets({ limit, status, after: decodeCursor(cursor) })
    return ok(page.json, page.next === undefined ? undefined : nextLink({ limit, status }, page.next))
  }),

  async createPet({ pets, running }, caller, { 'Idempotency-Key': header }, body: NewPet) {
    if (header === undefined) return created(await pets.createPet(body, caller.id))
    const key = readIdempotencyKey(header)
    return created(await running.run(caller.id, key, () => pets.createPet(body, caller.id, key)))
  },

  async getPet({ pets }, _caller, { petId }) {
    const pet = await pets.getPet(petId)
    if (!pet) throw new PetstoreError('not_found', `No pet has id ${petId}.`)
    return ok(stringifyJson(pet))
  },
}
