// The names of the store and of its categories, which the operator gives. The interface has ids of categories; people read and type names.

import { fold } from './words.ts'

/** In code points. */
const NAME_LENGTH_MAX = 60
export const CATEGORIES_MAX = 1_000

export interface Category {
  id: bigint
  name: string
}

export class Names {
  private readonly names: ReadonlyMap<bigint, string>
  private readonly ids: ReadonlyMap<string, bigint>

  constructor(
    readonly store: string,
    readonly categories: readonly Category[] = [],
  ) {
    this.names = new Map(categories.map(({ id, name }) => [id, name]))
    this.ids = new Map(categories.map(({ id, name }) => [folded(name), id]))
  }

  /** The name of a category, or its id if it has none. */
  nameOf(id: bigint): string {
    return this.names.get(id) ?? String(id)
  }

  /** The category with this name: case and accents make no difference. */
  idOf(name: string): bigint | undefined {
    return this.ids.get(folded(name))
  }
}

/** Two names that fold alike are one name. */
export function folded(name: string): string {
  return fold(name).trim()
}

/** What is wrong with a name: "must be …". `undefined` if nothing is. */
export function nameFault(name: string): string | undefined {
  const { length } = [...name]
  if (folded(name) === '' || length > NAME_LENGTH_MAX) return `must be 1 to ${NAME_LENGTH_MAX} characters long`
  return /\p{Cc}/u.test(name) ? 'must not contain control characters' : undefined
}
