// The fields of an animal: how each is named, typed and parsed. Forms, files and histories use this table.

import type { NewPet, Pet } from '../../../client/src/petstore.ts'
import { names } from '../names.ts'
import { STATUSES } from './status-labels.ts'

export type Field = keyof NewPet
/** The id of the datalist of suggested categories. */
export const CATEGORIES_ID = 'categories'

interface Shape<Value> {
  label: string
  /** The attributes of its input, and the rule for its text. `undefined` if it is chosen from a list. */
  typed?: { input: InputProps; hint?: string; mustBe: string }
  /** Returns the value to send, or `undefined` if the text is invalid. */
  parse: (text: string) => Value | undefined
}
type InputProps = Readonly<{ dir?: 'auto'; class?: 'mono'; inputMode?: 'numeric'; list?: string }>

const NUMBERED = {
  input: { class: 'mono', inputMode: 'numeric', list: CATEGORIES_ID },
  hint: "The category's number.",
  mustBe: 'a whole number',
} as const
const NAMED = {
  input: { dir: 'auto', list: CATEGORIES_ID },
  hint: "The category's name or number.",
  mustBe: 'the name of a category, or a whole number',
} as const

export const FIELDS: { readonly [Name in Field]-?: Shape<Pet[Name]> } = {
  name: { label: 'Name', typed: { input: { dir: 'auto' }, mustBe: 'a text' }, parse: (text) => text },
  categoryId: {
    label: 'Category',
    get typed() {
      return names().categories.length > 0 ? NAMED : NUMBERED
    },
    parse: (text) => parseInteger(text) ?? names().idOf(text),
  },
  status: { label: 'Status', parse: (text) => STATUSES.find(([status]) => status === text)?.[0] },
}
export const FIELD_NAMES = Object.keys(FIELDS) as Field[]

/** Excludes the status, because orders change it. */
export type TypedField = Exclude<Field, 'status'>
export const TYPED_FIELDS = FIELD_NAMES.filter((name): name is TypedField => FIELDS[name].typed !== undefined)

export function textsOf(pet: Pet): Record<TypedField, string> {
  return { name: pet.name, categoryId: names().nameOf(pet.categoryId) }
}

/** Returns the invalid and missing fields in the service's words; empty if all can be sent. */
export function problemsIn(texts: Readonly<Record<TypedField, string>>): string {
  const isWrong = (name: TypedField) => FIELDS[name].parse(texts[name]) === undefined
  if (!TYPED_FIELDS.some(isWrong)) return ''
  return TYPED_FIELDS.filter((name) => isWrong(name) || texts[name] === '')
    .map((name) => `${name} ${texts[name].trim() ? `must be ${FIELDS[name].typed?.mustBe}` : 'is required'}.`)
    .join(' ')
}

/** Parses any number of digits without rounding. */
export function parseInteger(text: string): bigint | undefined {
  const digits = text.trim()
  return /^[+-]?[0-9]+$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined
}
