// Faults in methods and in the spelling of paths.

import { at, type ContractFaults } from './shared/faults.ts'
import { ONE } from './shared/operations.ts'
import { withoutKey } from './shared/requests.ts'

export const METHOD_FAULTS: ContractFaults = {
  'methods.options.list': at('OPTIONS /pets', 204).answer.header('Allow'),
  'methods.options.get': at('OPTIONS /pets/*').refusing(withoutKey, 401, 'missing_api_key'),
  'methods.other.list': at('* /pets', 405).answer.error(404, 'not_found'),
  'methods.other.get': at('* /pets/*', 405).answer.header('Allow'),
  'methods.head.errors': at('HEAD /pets/*', 404).answer.status(200),
  'paths.trailing-slash': at('*').request.path((path) => path.replace(/\/$/, '')),
  'paths.double-slash': at('*').request.path((path) => path.replace('//', '/')),
  'paths.case': at('*').request.path((path) => path.toLowerCase()),
  'paths.dot-segments': at('*').request.path((path) => path.replace('/./', '/')),
  'paths.encoded-letters': at('*').request.path((path) => path.replace(/%65/g, 'e')),
  'paths.encoded-digits': at(ONE).refusing(({ target }) => target.includes('%'), 404, 'not_found'),
}
