// Faults in the pet that is fetched.

import { both, header } from './shared/answer-changes.ts'
import { at, type ContractFaults } from './shared/faults.ts'
import { got, ONE } from './shared/operations.ts'

export const GET_PET_FAULTS: ContractFaults = {
  'pets.get.no-id.nul': at(ONE).refusing(({ target }) => target.includes('%00')),
  'pets.get.no-id': at(ONE).request.path((before) => before.replace(/\/0+(?=\d)/, '/')),
  'pets.get.deprecation': got.header('Deprecation', 'true'),
  'pets.get.link': got.header('Link', (link) => link.replace('successor-version', 'next')),
  'pets.get.deprecation.not-found': at(ONE, 404).onResponse(both(header('Deprecation'), header('Sunset'))),
}
