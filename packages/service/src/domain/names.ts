// The names of the store and its categories, which the operator chooses. The API uses category ids; people use names.

import { fold } from './words.ts'

/** In code points. */
const NAME_LENGTH_MAX = 60
export const CATEGORIES_MAX = 1_000
/** U+2800 is a Braille pattern without dots. */
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

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

  /** Returns the category's name, or its id if it has no name. */
  nameOf(id: bigint): string {
    return this.names.get(id) ?? String(id)
  }

  /** Finds a category by name, ignoring case and accents. */
  idOf(name: string): bigint | undefined {
    return this.ids.get(folded(name))
  }
}

/** Names with equal results are the same name. */
export function folded(name: string): string {
  return fold(name).trim()
}

/** Returns the problem with a name ("must be …"), if any. */
export function nameFault(name: string): string | undefined {
  const { length } = [...name]
  if (length > NAME_LENGTH_MAX) return `must be 1 to ${NAME_LENGTH_MAX} characters long, not ${length}`
  if (folded(name) === '' || !VISIBLE.test(name)) return 'must have a visible character'
  return /\p{Cc}/u.test(name) ? 'must not contain control characters' : undefined
}
