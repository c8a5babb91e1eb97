// Pets in PostgreSQL. One server at a time adds pets (functions/add-pets.sql), so that ids rise in the order of commits, and a page's
// cursor is never overtaken.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { replay } from '../../domain/decisions/replays.ts'
import type { PetstoreError } from '../../domain/errors.ts'
import type { Created, NewPet, Pet, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { fromRow } from '../shared/columns.ts'
import { batched } from '../shared/group-commit.ts'
import { answerOfRow, type FirstAnswerRow, textOf } from '../shared/idempotency.ts'
import { PETS } from '../shared/lists.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../shared/pet-columns.ts'
import { indexedWords } from '../shared/search.ts'
import { callersOf, refusedKeys, without } from './callers.ts'
import type { PrimaryConnection } from './connection.ts'
import { forgetting, type Keyed, usedKey } from './idempotency.ts'
import { LOG_MESSAGE } from './link.ts'
import { pages, rowsById } from './pages.ts'

// JSON carries a batch because it holds any text but U+0000, and integers with all their digits.
// A batch that only replays has nothing to commit, and PostgreSQL would wait for no standby: a pet whose own commit has not
// reached it would be acknowledged. So a replay writes a message to the log, which gets there behind that commit.
const CREATE = `SELECT place, id, refusal, operation, request, answer FROM petstore_add_pets($1::text::bigint[], $2::text::json)
  WHERE id IS NOT NULL OR ${LOG_MESSAGE} IS NOT NULL`

interface Creation extends Keyed {
  pet: NewPet
}

/** The id of a new pet, or what its idempotency key gave first. */
type CreatedRow = { place: bigint | null; refusal: string | null } & ({ id: bigint } | ({ id: null } & FirstAnswerRow))

export function postgresPets(
  { read, add, background }: PrimaryConnection,
  options: StoreOptions,
): Pick<PetStore, 'listPets' | 'getPet' | 'createPet'> {
  const forget = forgetting(background)

  async function createAll(batch: Creation[]): Promise<(Created<Pet> | PetstoreError)[]> {
    const rows = await add<CreatedRow>(CREATE, callersOf(batch), stringifyJson(batch.map(toRow)))
    const refused = refusedKeys(rows)
    if (refused) return without(refused, batch, createAll)
    forget()
    return batch.map(({ pet }, place) => {
      const row = rows[place] as CreatedRow
      if (row.id === null) return replay(answerOfRow(row), 'createPet', pet)
      return { value: fromRow(PET_COLUMNS, { ...pet, id: row.id }), replayed: false }
    })
  }
  const create = batched(createAll, options.onBatch, usedKey)

  return {
    listPets: pages(read, PETS),
    createPet: (pet, by, idempotencyKey) => create({ pet, by, idempotencyKey }),
    getPet: rowsById(read, PETS, PET_COLUMNS),
  }
}

function toRow({ pet, by, idempotencyKey: key }: Creation) {
  const fields = Object.entries(NEW_PET_COLUMNS).map(([field, { column }]) => [column, pet[field as keyof NewPet]])
  const request = key === undefined ? undefined : textOf(NEW_PET_COLUMNS, pet)
  return { ...Object.fromEntries(fields), created_by: by, key, request, words: indexedWords(pet.name) }
}
