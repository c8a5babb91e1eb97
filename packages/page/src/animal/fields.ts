// The fields of an animal, each in one place: its name on the page, how it is typed, and what is sent of it.
// Forms, files and histories are made of them; a row and a record show each where it belongs.

import type { NewPet, Pet } from '../../../client/src/petstore.ts'
import { names } from '../names.ts'
import { STATUSES } from './status-labels.ts'

export type Field = keyof NewPet
/** The id of the datalist with the categories that were used last. */
export const CATEGORIES_ID = 'categories'

interface Shape<Value> {
  label: string
  /** Of the input in which it is typed, and what it must be; `undefined`: it is chosen. */
  typed?: { input: InputProps; hint?: string; mustBe: string }
  /** What is sent of a text; `undefined` where that is not what it must be. */
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

/** A status is moved by orders. */
export type TypedField = Exclude<Field, 'status'>
export const TYPED_FIELDS = FIELD_NAMES.filter((name): name is TypedField => FIELDS[name].typed !== undefined)

/** As they are typed. */
export function textsOf(pet: Pet): Record<TypedField, string> {
  return { name: pet.name, categoryId: names().nameOf(pet.categoryId) }
}

/** What cannot be sent, and what is missing beside it, in the service's words; empty where all can be: then the service validates it. */
export function problemsIn(texts: Readonly<Record<TypedField, string>>): string {
  const isWrong = (name: TypedField) => FIELDS[name].parse(texts[name]) === undefined
  if (!TYPED_FIELDS.some(isWrong)) return ''
  return TYPED_FIELDS.filter((name) => isWrong(name) || texts[name] === '')
    .map((name) => `${name} ${texts[name].trim() ? `must be ${FIELDS[name].typed?.mustBe}` : 'is required'}.`)
    .join(' ')
}

/** Exact, with any number of digits. */
export function parseInteger(text: string): bigint | undefined {
  const digits = text.trim()
  return /^[+-]?[0-9]+$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined
}
