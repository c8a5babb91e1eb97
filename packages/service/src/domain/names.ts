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

/** The names in a store. `nextId`: after the highest id of a name or a pet; `undefined` if there is no such id. */
export interface StoredNames {
  readonly categories: readonly Category[]
  readonly nextId: bigint | undefined
}

export interface NameStore {
  /** The categories are ordered by id. */
  readNames(): Promise<StoredNames>

  /**
   * Replaces all names in one transaction, and resolves with them. `check` gets the names before, and throws to reject
   * the change.
   */
  setNames(categories: readonly Category[], check: (before: StoredNames) => void): Promise<StoredNames>
}

/** `highest`: the highest category of a pet, if there are any. */
export function storedNames(categories: readonly Category[], highest: bigint | null | undefined): StoredNames {
  const used = [0n, highest ?? 0n, categories.at(-1)?.id ?? 0n]
  const last = used.reduce((most, id) => (id > most ? id : most))
  return { categories, nextId: last === 2n ** 63n - 1n ? undefined : last + 1n }
}

/**
 * Returns a function that returns the problems of the next category, as sentences. `shown` quotes a name; `where` says
 * for later problems where the category is, such as `on line 2`.
 */
export function nameRules(shown: (name: string) => string) {
  const places = new Map<bigint | string, string>()
  const once = (key: bigint | string, what: string, where: string) => {
    const before = places.get(key)
    if (before === undefined) places.set(key, where)
    return before === undefined ? [] : [`${what} is also ${before}.`]
  }
  return (id: bigint | undefined, name: string, where: string): string[] => {
    const isNumber = /^[+-]?[0-9]+$/.test(folded(name))
    const fault = nameFault(name) ?? (isNumber ? 'must not be a number, because numbers are ids' : undefined)
    return [
      ...(id === undefined ? [] : once(id, `The id ${id}`, where)),
      ...(fault === undefined
        ? once(folded(name), `The name ${JSON.stringify(name)}`, where)
        : [`name ${fault}: ${shown(name)}.`]),
    ]
  }
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
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'must not contain control characters' : undefined
}
