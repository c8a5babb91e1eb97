// Corrections in PostgreSQL: of a pet, or of a pending order. Each is a transaction of several statements, which holds the lock that orders
// the commits from its first one (functions/corrections.sql): they are rare, and the rules stay in one place (store/shared/corrections.ts).

import { PetstoreError } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/events.ts'
import { type KeyId, type RefusedKey, refusedKey } from '../../domain/keys.ts'
import type { Order, OrderStore, Transition } from '../../domain/orders.ts'
import type { Pet, PetStore } from '../../domain/pets.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { fieldsOf, fromRow, selectList } from '../shared/columns.ts'
import { correctedOrder, correctedPet, deletionRefusal } from '../shared/corrections.ts'
import { ORDERS, rowsOf } from '../shared/lists.ts'
import { HOLDS, ORDER_COLUMNS } from '../shared/order-columns.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../shared/pet-columns.ts'
import type { PrimaryConnection } from './connection.ts'
import { translateChanging } from './errors.ts'
import { ADD_EVENTS, eventRows } from './events.ts'
import { COMMIT_DURABLY } from './link.ts'
import type { Ask } from './session.ts'

/** Also of a correction that writes nothing, since it may tell of one that did. */
const BEGIN = `SELECT now, refusal, ${COMMIT_DURABLY} FROM petstore_begin_correction($1)`
const EXPIRE = 'SELECT id, pet_id AS "petId" FROM petstore_expire_holder($1, $2)'

const PET = `SELECT ${selectList(PET_COLUMNS)} FROM pets WHERE id = $1`
const HOLDER = `SELECT id FROM orders WHERE pet_id = $1 AND ${HOLDS}`
const ANY_ORDER = 'SELECT id FROM orders WHERE pet_id = $1 LIMIT 1'
const { fields: FIELDS, names: COLUMNS } = fieldsOf(NEW_PET_COLUMNS)
const SET_PET = `UPDATE pets SET ${COLUMNS.map((column, at) => `${column} = $${at + 2}`)}
  WHERE id = $1 RETURNING id`
const DELETE_PET = 'DELETE FROM pets WHERE id = $1 RETURNING id'

const ORDER = `SELECT ${selectList(ORDER_COLUMNS)} FROM ${rowsOf(ORDERS)} WHERE id = $1`
const SET_ORDER = 'UPDATE orders SET reference = $2, expires_at = $3, changed_at = $4 WHERE id = $1 RETURNING id'

type Corrections = Pick<PetStore, 'updatePet' | 'deletePet'> & Pick<OrderStore, 'updateOrder'>

/** What a correction works with, in its transaction. */
interface Correction {
  readonly ask: Ask
  readonly now: number
  /** Expires the reservation that holds the pet, when its time is over. */
  expireHolder(petId: bigint): Promise<void>
  addEvent(event: Omit<NewEvent, 'by'>): Promise<void>
}

export function postgresCorrections(
  connection: PrimaryConnection,
  { onTransitions }: Pick<StoreOptions, 'onTransitions'>,
): Corrections {
  /** `work` gives a refusal: what has expired on the way is committed nevertheless. */
  async function correct<Result>(
    by: KeyId,
    work: (correction: Correction) => Promise<Result | PetstoreError>,
  ): Promise<Result> {
    const expired: Transition[] = []
    const result = await connection.transaction(async ({ ask }) => {
      expired.length = 0
      const [begun] = await ask<{ now: bigint; refusal: RefusedKey | null }>(BEGIN, by)
      if (!begun || begun.refusal !== null) return refusedKey(begun?.refusal ?? 'unknown')
      const { now } = begun
      return work({
        ask,
        now: Number(now),
        async expireHolder(petId) {
          const orders = await ask<Pick<Order, 'id' | 'petId'>>(EXPIRE, petId, now)
          expired.push(...orders.map(({ id, petId }) => ({ id, petId, status: 'expired' as const })))
        },
        async addEvent(event) {
          await ask(ADD_EVENTS, eventRows([{ ...event, by }]))
        },
      })
    }, translateChanging)
    if (expired.length > 0) onTransitions?.(expired)
    if (result instanceof PetstoreError) throw result
    return result
  }

  return {
    updatePet: (id, change, by, check) =>
      correct(by, async ({ ask, now, expireHolder, addEvent }) => {
        if (change.status !== undefined) await expireHolder(id)
        const before = petOf(await ask(PET, id))
        const [holder] = await ask<{ id: bigint }>(HOLDER, id)
        const after = correctedPet(id, before, change, holder?.id, check)
        if (after instanceof PetstoreError || after === before) return after
        await ask(SET_PET, id, ...FIELDS.map((field) => after[field] ?? null))
        await addEvent({ type: 'pet.changed', at: now, petId: id, pet: after })
        return after
      }),

    deletePet: (id, by, check) =>
      correct(by, async ({ ask, now, addEvent }) => {
        const pet = petOf(await ask(PET, id))
        const refusal = deletionRefusal(id, pet, (await ask(ANY_ORDER, id)).length > 0, check)
        if (refusal) return refusal
        await ask(DELETE_PET, id)
        await addEvent({ type: 'pet.deleted', at: now, petId: id })
      }),

    updateOrder: (id, change, by, check) =>
      correct(by, async ({ ask, now, expireHolder, addEvent }) => {
        const read = async () => orderOf(await ask(ORDER, id))
        const found = await read()
        if (found?.status === 'pending') await expireHolder(found.petId)
        const before = await read()
        const after = correctedOrder(id, before, change, now, check)
        if (after instanceof PetstoreError || after === before) return after
        const { petId, reference = null, expiresAt = null, changedAt } = after
        await ask(SET_ORDER, id, reference, expiresAt, changedAt)
        await addEvent({ type: 'order.changed', at: changedAt, petId, orderId: id })
        return after
      }),
  }
}

function petOf([row]: readonly object[]): Pet | undefined {
  return row && fromRow(PET_COLUMNS, row)
}

function orderOf([row]: readonly object[]): Order | undefined {
  return row && fromRow(ORDER_COLUMNS, row)
}
