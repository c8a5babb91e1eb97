// `GET /names`: the names of the store and of its categories, for the page and the commands. The page where people sign in has no key yet:
// without one, only the store's name is told.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { Names } from '../../domain/names.ts'
import type { Context } from '../context.ts'
import { ok } from '../response/response.ts'
import { Route } from '../route.ts'

/** `authenticate` throws if the request's key is not valid. */
export function namesRoute(authenticate: (context: Context) => Promise<unknown>, { store, categories }: Names): Route {
  const forKeys = ok(stringifyJson({ store, categories }))
  const forAll = ok(stringifyJson({ store }))
  return new Route('/names', {
    GET: async (context) => {
      if (!context.request.headers.has('Authorization')) return forAll
      await authenticate(context)
      return forKeys
    },
  })
}
