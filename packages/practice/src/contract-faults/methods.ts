// Faults in methods and in the spelling of paths.

import { at, both, type ContractFaults, header, put, status } from './shared/builders.ts'
import { addressed, error, ONE, withoutKey } from './shared/operations.ts'

export const METHOD_FAULTS: ContractFaults = {
  'methods.options.list': at('OPTIONS /pets', 204).onResponse(header('Allow', undefined)),
  'methods.options.get': at('OPTIONS /pets/*').refusing(withoutKey, 401, 'missing_api_key'),
  'methods.other.list': at('* /pets', 405).onResponse(both(error(404), put('code', 'not_found'))),
  'methods.other.get': at('* /pets/*', 405).onResponse(header('Allow', undefined)),
  'methods.head.errors': at('HEAD /pets/*', 404).onResponse(status(200)),
  'paths.trailing-slash': addressed((path) => path.replace(/\/$/, '')),
  'paths.double-slash': addressed((path) => path.replace('//', '/')),
  'paths.case': addressed((path) => path.toLowerCase()),
  'paths.dot-segments': addressed((path) => path.replace('/./', '/')),
  'paths.encoded-letters': addressed((path) => path.replace(/%65/g, 'e')),
  'paths.encoded-digits': at(ONE).refusing(({ target }) => target.includes('%'), 404, 'not_found'),
}
