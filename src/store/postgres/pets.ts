// Animals in PostgreSQL. Those who add take turns (the migrations say why), so that ids rise in the order of commits and
// a page's cursor is never overtaken, whichever server adds.

import type { Page, Pet, PetFilter, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { shared } from '../shared/coalesce.ts'
import { fromRow, jsonObject, selectList } from '../shared/columns.ts'
import { type Creation, creations, type Outcome } from '../shared/creations.ts'
import { batched } from '../shared/group-commit.ts'
import { answerText, CREATE_PET, KEPT_MS, replay, requestText } from '../shared/idempotency.ts'
import { type PageRow, pageOf } from '../shared/page.ts'
import { PET_COLUMNS } from '../shared/pet-columns.ts'
import { type Connection, LOG_MESSAGE } from './connection.ts'
import { forgetting } from './idempotency.ts'
import { POSTGRES_JSON } from './json.ts'

const COLUMNS = selectList(PET_COLUMNS)
const JSON_OF_PET = jsonObject(PET_COLUMNS, POSTGRES_JSON)
const PAGE = `SELECT id, ${JSON_OF_PET} AS json FROM pets WHERE id > $1 ORDER BY id LIMIT $2`
const PAGE_BY_STATUS = `SELECT id, ${JSON_OF_PET} AS json FROM pets WHERE id > $1 AND status = $3 ORDER BY id LIMIT $2`
const PETS = `SELECT ${COLUMNS} FROM pets WHERE id = ANY($1::text::bigint[])`
// JSON carries a batch because it holds any text but U+0000; integers of 64 bits travel as strings.
// A batch that only replays has nothing to commit, and PostgreSQL would wait for no standby: a pet whose own commit has not
// reached it would be acknowledged. So a replay writes a message to the log, which gets there behind that commit.
const CREATE = `SELECT replayed, ${COLUMNS} FROM petstore_create_pets($1::text::json, $2, $3)
  WHERE NOT replayed OR ${LOG_MESSAGE} IS NOT NULL`

interface JsonRow {
  id: bigint
  json: string
}

/** Where it was not replayed, only the id is told: the rest is known. */
type CreatedRow = { replayed: false; id: bigint } | ({ replayed: true } & Pet)

export function postgresPets({ read, add, background }: Connection, options: StoreOptions): PetStore {
  const { now } = options
  const forget = forgetting(background)

  async function readPage({ limit, status, after = 0n }: PetFilter): Promise<Page> {
    const rows = await (status === undefined
      ? read<JsonRow>(PAGE, after, limit + 1)
      : read<JsonRow>(PAGE_BY_STATUS, after, limit + 1, status))
    return pageOf(
      rows.map(({ id, json }): PageRow => [id, json]),
      limit,
    )
  }

  async function readPets(ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await read<Pet>(PETS, `{${ids.join(',')}}`)
    const found = new Map(rows.map((row) => [row.id, petOf(row)]))
    return ids.map((id) => found.get(id))
  }

  async function createAll(batch: Creation[]): Promise<Outcome[]> {
    const at = now()
    const { asked, places } = oncePerKey(batch)
    const rows = await add<CreatedRow>(CREATE, JSON.stringify(asked.map(toRow)), at, at - KEPT_MS)
    forget(at)
    return batch.map((creation, n) => {
      const place = places[n] as number
      const row = rows[place] as CreatedRow
      const first = row.replayed ? petOf(row) : petOf({ ...(asked[place] as Creation).pet, id: row.id })
      if (!row.replayed && asked[place] === creation) return { value: first, replayed: false }
      const kept = {
        operation: 'createPet',
        request: requestText(CREATE_PET, first),
        answer: answerText(CREATE_PET, first),
      }
      return replay(CREATE_PET, kept, requestText(CREATE_PET, creation.pet))
    })
  }

  return {
    listPets: shared(readPage),
    createPet: creations(createAll, options),
    getPet: batched(readPets),
  }
}

/** Of those that arrived together under one idempotency key, the first is asked for; `places` says where each finds it. */
function oncePerKey(batch: readonly Creation[]): { asked: Creation[]; places: number[] } {
  const asked: Creation[] = []
  const placeByKey = new Map<string, number>()
  const places = batch.map((creation) => {
    const key = creation.idempotencyKey === undefined ? undefined : `${creation.by} ${creation.idempotencyKey}`
    const known = key === undefined ? undefined : placeByKey.get(key)
    if (known !== undefined) return known
    const place = asked.push(creation) - 1
    if (key !== undefined) placeByKey.set(key, place)
    return place
  })
  return { asked, places }
}

function toRow({ pet: { name, categoryId, status }, by, idempotencyKey }: Creation) {
  return { name, category_id: String(categoryId), status, created_by: String(by), key: idempotencyKey }
}

function petOf(row: object): Pet {
  return fromRow(PET_COLUMNS, row)
}
