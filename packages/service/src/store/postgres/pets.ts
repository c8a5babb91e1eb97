// How pets are added to PostgreSQL. One server at a time adds pets (functions/add-pets.sql), so that ids rise in the order of commits, and a page's
// cursor is never overtaken.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { replay } from '../../domain/decisions/replays.ts'
import { type KeyId, type RefusedKey, refusedKey } from '../../domain/keys.ts'
import type { Created, NewPet, Pet, PetStore } from '../../domain/pets.ts'
import type { PetstoreError } from '../../domain/petstore-error.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { fromRow } from '../shared/columns.ts'
import { batched } from '../shared/group-commit.ts'
import { answerOfRow, type FirstAnswerRow, textOf } from '../shared/idempotency.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../shared/pet-columns.ts'
import { indexedWords } from '../shared/search.ts'
import { LOG_MESSAGE } from './host-connections.ts'
import { forgetting } from './idempotency.ts'
import type { PrimaryConnection } from './primary.ts'

// JSON carries a batch because it holds any text but U+0000, and integers with all their digits.
// A batch that only replays has nothing to commit, and PostgreSQL would wait for no standby: a pet whose own commit has not
// reached it would be acknowledged. So a replay writes a message to the log, which gets there behind that commit.
const CREATE = `SELECT place, id, refusal, operation, request, answer FROM petstore_add_pets($1::text::bigint[], $2::text::json)
  WHERE id IS NOT NULL OR ${LOG_MESSAGE} IS NOT NULL`

interface Creation {
  pet: NewPet
  by: KeyId
  idempotencyKey: string | undefined
}

/** The id of a new pet, or what its idempotency key gave first. Without a place: an API key that is refused, and why. */
type CreatedRow = { place: bigint | null; refusal: RefusedKey } & ({ id: bigint } | ({ id: null } & FirstAnswerRow))
type Outcome = Created<Pet> | PetstoreError

export function createPets({ add, background }: PrimaryConnection, options: StoreOptions): PetStore['createPet'] {
  const forget = forgetting(background)

  async function createAll(batch: Creation[]): Promise<Outcome[]> {
    const callers = new Set(batch.map(({ by }) => by))
    const rows = await add<CreatedRow>(CREATE, `{${[...callers]}}`, stringifyJson(batch.map(toRow)))
    if (rows[0]?.place === null) return createWithout(rows, batch)
    forget()
    return batch.map(({ pet }, place) => {
      const row = rows[place] as CreatedRow
      if (row.id === null) return replay(answerOfRow(row), 'createPet', pet)
      return { value: fromRow(PET_COLUMNS, { ...pet, id: row.id }), replayed: false }
    })
  }

  /** The database looks at the API keys of a batch when it is the batch's turn. Where it refuses one, it has done nothing of the batch. */
  async function createWithout(rows: readonly CreatedRow[], batch: readonly Creation[]): Promise<Outcome[]> {
    const refused = new Map(rows.map(({ id, refusal }) => [id, refusedKey(refusal)]))
    const rest = batch.filter(({ by }) => !refused.has(by))
    const results = (rest.length > 0 ? await createAll(rest) : []).values()
    return batch.map(({ by }) => refused.get(by) ?? (results.next().value as Outcome))
  }

  const create = batched(createAll, options.onBatch, usedKey)

  return (pet, by, idempotencyKey) => create({ pet, by, idempotencyKey })
}

/** A key may be in a batch once: who arrives with it at the same time is answered by the next batch, from what is kept. */
function usedKey({ by, idempotencyKey }: Creation): string | undefined {
  return idempotencyKey === undefined ? undefined : `${by} ${idempotencyKey}`
}

function toRow({ pet, by, idempotencyKey: key }: Creation) {
  const fields = Object.entries(NEW_PET_COLUMNS).map(([field, { column }]) => [column, pet[field as keyof NewPet]])
  const request = key === undefined ? undefined : textOf(NEW_PET_COLUMNS, pet)
  return { ...Object.fromEntries(fields), created_by: by, key, request, words: indexedWords(pet.name) }
}
