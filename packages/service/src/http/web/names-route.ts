// `/names`: the names of the store and its categories, for the page and the commands. The category names are in the
// store, unless PETSTORE_CATEGORIES is set.

import { int64FromJson, type Json, JsonNumber, stringifyJson } from '../../../../contract/src/json.ts'
import { shown } from '../../../../contract/src/schema.ts'
import { CATEGORIES_MAX, type Category, type NameStore, nameRules, type StoredNames } from '../../domain/names.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'
import { type Answer, changed, entityTag, failedPrecondition, ok } from '../response/response.ts'
import { Route } from '../route.ts'

/** See Pipeline. */
interface Requests {
  authenticate(context: Context): Promise<void>
  change(
    context: Context,
    limits: { name: string; bytesMax: number },
    work: (body: Json) => Promise<Answer>,
  ): Promise<Answer>
}

export interface GivenNames {
  readonly store: string
  /** Given if a file has the category names. */
  readonly categories?: readonly Category[] | undefined
}

/** 1,000 names of 60 characters, each with an id, all escaped. */
const BODY_BYTES_MAX = 512 * 1024
/**
 * GET returns only the store's name if the request has no key, which is enough for the sign-in page. PUT replaces the
 * names of all categories.
 */
export function namesRoute(pipeline: Requests, stored: NameStore, { store, categories }: GivenNames): Route {
  const json = (names: StoredNames | { categories: readonly Category[] }) => stringifyJson({ store, ...names })
  return new Route('/names', {
    GET: async (context) => {
      if (!context.request.headers.has('Authorization')) return ok(stringifyJson({ store }))
      await pipeline.authenticate(context)
      return ok(json(categories ? { categories } : await stored.readNames()))
    },
    PUT: (context) =>
      pipeline.change(context, { name: 'setNames', bytesMax: BODY_BYTES_MAX }, async (body) => {
        if (categories) {
          const message =
            'The file in PETSTORE_CATEGORIES has the names of categories, so they can only be changed there.'
          throw new PetstoreError('names_in_file', message)
        }
        const ifMatch = context.request.headers.get('If-Match')
        if (ifMatch === null) {
          const message = 'Send If-Match with the ETag of GET /names, so that the names of another client are not lost.'
          throw new PetstoreError('precondition_required', message)
        }
        const wanted = categoriesFrom(body)
        const names = await stored.setNames(wanted, (before) => {
          // The client may be retrying after a lost response (RFC 9110, 13.1.1).
          const alreadyInEffect = stringifyJson(before.categories) === stringifyJson(wanted)
          const failed = alreadyInEffect ? undefined : failedPrecondition(entityTag(json(before)), ifMatch)
          if (failed) throw failed
        })
        return changed(json(names), { categories: String(wanted.length) })
      }),
  })
}

/** Returns the categories by id. Throws `invalid_names` with all problems. */
function categoriesFrom(body: Json): Category[] {
  const given = body instanceof Map ? body.get('categories') : undefined
  if (!Array.isArray(given)) throw invalid(['The body must be an object with the array categories.'])
  if (given.length > CATEGORIES_MAX) throw invalid([`There can be at most ${CATEGORIES_MAX} categories.`])
  const problemsOf = nameRules(shown)
  const problems: string[] = []
  const categories = given.map((one, index) => {
    const [id, name] = one instanceof Map ? [one.get('id') ?? null, one.get('name') ?? null] : [null, null]
    const integer = id instanceof JsonNumber ? int64FromJson(id.text) : undefined
    const wrong =
      typeof integer !== 'bigint'
        ? ['id must be an int64.']
        : typeof name !== 'string'
          ? ['name must be a string.']
          : problemsOf(integer, name.trim(), `at [${index}]`)
    problems.push(...wrong.map((problem) => `Category ${shown(id)} at [${index}]: ${problem}`))
    return { id: integer as bigint, name: String(name).trim() }
  })
  if (problems.length > 0) throw invalid(problems)
  return categories.sort((one, other) => (one.id < other.id ? -1 : 1))
}

function invalid(problems: readonly string[]): PetstoreError {
  return new PetstoreError('invalid_names', problems.join(' '))
}
