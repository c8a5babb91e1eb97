// What a person edits of an animal or of an order, field by field: as it is now, as it was when the dialog opened, and what is sent.

import type { PetChange, PetstoreClient } from '../../../client/src/petstore.ts'
import { parseInteger } from '../draft.ts'
import { ends, type Hold, localTime } from '../hold-field.tsx'
import { brief, time } from '../phrases.ts'
import { tagOfOrder, tagOfPet } from '../unchanged.ts'
import type { Read } from './animal.ts'

export const NOTHING = 'Nothing was changed.'

export type PetField = Exclude<keyof PetChange, 'status'>

export interface Fields extends Record<PetField, string> {
  reference: string
  end: { hold: Hold; until: string }
}
export type Field = keyof Fields

export const FIELD_LABELS: Record<Field, string> = {
  name: 'Name',
  categoryId: 'Category',
  reference: 'For whom',
  end: 'Until',
}

export function fieldsOf({ animal: { pet }, order }: Read): Fields {
  return {
    name: pet.name,
    categoryId: String(pet.categoryId),
    reference: order?.reference ?? '',
    end: order?.expiresAt ? { hold: 'other', until: localTime(order.expiresAt) } : { hold: 'open', until: '' },
  }
}

/** What is sent of a pet: a field that is left out does not compile. */
const PET_CHANGES: { readonly [Name in PetField]: (text: string) => PetChange[Name] } = {
  name: (text) => text,
  categoryId: parseInteger,
}
export const PET_FIELDS = Object.keys(PET_CHANGES) as PetField[]

/** The fields in which two differ: of an animal, or of an order. */
export function differing({ order }: Read, one: Fields, other: Fields): Field[] {
  const fields: readonly Field[] = order ? ['reference', 'end'] : PET_FIELDS
  return fields.filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]))
}

/** A field in words. */
export function inWords(fields: Fields, field: Field): string {
  if (field !== 'end') return brief(fields[field]) || 'nobody'
  const { expiresAt } = ends(fields.end.hold, fields.end.until)
  return expiresAt ? time(expiresAt) : 'it is released'
}

/**
 * Sends what differs from what is shown, on the condition that it is still so. Resolves with what was done. Rejects with RangeError where a
 * field cannot be sent, and with `precondition_failed` where somebody was quicker.
 */
export async function save(client: PetstoreClient, read: Read, fields: Fields): Promise<string> {
  const { animal, order } = read
  const changed = differing(read, fields, fieldsOf(read))
  const { hold, until } = fields.end
  if (order && hold === 'other' && !until) throw new RangeError('Choose a day and a time.')
  if (parseInteger(fields.categoryId) === undefined) throw new RangeError('categoryId must be a whole number.')
  if (changed.length === 0) return NOTHING
  if (order) {
    const ifMatch = await tagOfOrder(client, order)
    const change = {
      ...(changed.includes('reference') && { reference: fields.reference.trim() || null }),
      ...(changed.includes('end') && { expiresAt: ends(hold, until).expiresAt ?? null }),
    }
    await client.updateOrder(order.id, change, { ifMatch })
    return `Order ${order.id} is saved.`
  }
  const ifMatch = await tagOfPet(client, animal.pet)
  const sent = PET_FIELDS.filter((field) => changed.includes(field))
  const change: PetChange = Object.fromEntries(sent.map((field) => [field, PET_CHANGES[field](fields[field])]))
  await client.updatePet(animal.pet.id, change, { ifMatch })
  return `${brief(fields.name)} is saved.`
}
