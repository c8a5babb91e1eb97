// The edited fields of an animal or an order: their values, their differences, and the change that is sent.

import type { OrderTerms, PetChange, PetstoreClient } from '../../../client/src/petstore.ts'
import { localTime } from '../../../files/src/local-time.ts'
import { FIELDS, problemsIn, TYPED_FIELDS, type TypedField, textsOf } from '../animal/fields.ts'
import { tagOfOrder, tagOfPet } from '../animal/preconditions.ts'
import { expiryOf, type HoldEnd } from '../orders/hold.ts'
import type { Undo } from '../orders/undo.ts'
import { brief, time } from '../phrases.ts'
import type { RecordData } from './history.ts'

export const NOTHING = 'Nothing was changed.'

export interface Fields extends Record<TypedField, string> {
  reference: string
  end: HoldEnd
}
export type Field = keyof Fields

const ORDER_LABELS = { reference: 'For whom', end: 'Until' }
export const ORDER_FIELDS = Object.keys(ORDER_LABELS) as (keyof typeof ORDER_LABELS)[]

export function fieldLabel(field: Field): string {
  return field in ORDER_LABELS ? ORDER_LABELS[field as keyof typeof ORDER_LABELS] : FIELDS[field as TypedField].label
}

export function fieldsOf({ animal: { pet }, order }: RecordData): Fields {
  return { ...textsOf(pet), ...termsOf(order) }
}

export function termsOf(order: OrderTerms | undefined): Pick<Fields, 'reference' | 'end'> {
  return {
    reference: order?.reference ?? '',
    end: order?.expiresAt ? { hold: 'other', until: localTime(order.expiresAt) } : { hold: 'open', until: '' },
  }
}

export function differing({ order }: RecordData, one: Fields, other: Fields): Field[] {
  const fields: readonly Field[] = order ? ORDER_FIELDS : TYPED_FIELDS
  return fields.filter((field) => comparable(one, field) !== comparable(other, field))
}

/** A category can be typed as its name or its number. */
function comparable(fields: Fields, field: Field): unknown {
  if (field === 'categoryId') return FIELDS[field].parse(fields[field]) ?? fields[field]
  return JSON.stringify(fields[field])
}

export function inWords(fields: Partial<Fields>, field: Field): string {
  if (field !== 'end') return brief(fields[field] ?? '') || 'nobody'
  const { expiresAt } = fields.end ? expiryOf(fields.end.hold, fields.end.until) : {}
  return expiresAt ? time(expiresAt) : 'no end'
}

/** "name from Rex to Max, category from 7 to 8"; empty if nothing differs. */
export function fromTo(fields: readonly Field[], before: Partial<Fields>, after: Partial<Fields>): string {
  return fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => `${fieldLabel(field).toLowerCase()} from ${inWords(before, field)} to ${inWords(after, field)}`)
    .join(', ')
}

export interface Saved {
  /** About the result. */
  sentence: string
  /** Restores the previous values, unless the record has changed since. */
  undo?: Undo
}

/**
 * Rejects with RangeError if a field is invalid, and with
 * `precondition_failed` if the record changed since it was shown.
 */
export async function save(client: PetstoreClient, read: RecordData, fields: Fields): Promise<Saved> {
  const { animal, order } = read
  const changed = differing(read, fields, fieldsOf(read))
  const { hold, until } = fields.end
  if (order && hold === 'other' && !until) throw new RangeError('Choose a day and a time.')
  const problem = order ? '' : problemsIn(fields)
  if (problem) throw new RangeError(problem)
  if (changed.length === 0) return { sentence: NOTHING }
  let tag: string | undefined
  const onEntityTag = (given: string) => {
    tag = given
  }
  if (order) {
    const ifMatch = await tagOfOrder(client, order)
    const change = {
      ...(changed.includes('reference') && { reference: fields.reference.trim() || null }),
      ...(changed.includes('end') && { expiresAt: expiryOf(hold, until).expiresAt ?? null }),
    }
    const { reference = null, expiresAt = null } = order
    await client.updateOrder(order.id, change, { ifMatch, onEntityTag })
    const undo = async () => {
      await client.updateOrder(order.id, { reference, expiresAt }, { ifMatch: tag })
      return `Order ${order.id} is as it was before.`
    }
    return { sentence: `Order ${order.id} is saved.`, undo }
  }
  const ifMatch = await tagOfPet(client, animal.pet)
  const sent = TYPED_FIELDS.filter((field) => changed.includes(field))
  const change: PetChange = Object.fromEntries(sent.map((field) => [field, FIELDS[field].parse(fields[field])]))
  const { id, name, categoryId } = animal.pet
  await client.updatePet(id, change, { ifMatch, onEntityTag })
  const undo = async () => {
    await client.updatePet(id, { name, categoryId }, { ifMatch: tag })
    return `${brief(name)} is as it was before.`
  }
  return { sentence: `${brief(fields.name)} is saved.`, undo }
}
