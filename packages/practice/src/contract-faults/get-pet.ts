// Faults in the pet that is fetched.

import { at, both, type ContractFaults, header, headerText } from './shared/builders.ts'
import { got, missed, ONE, path } from './shared/operations.ts'

export const GET_PET_FAULTS: ContractFaults = {
  'pets.get.no-id.nul': at(ONE).refusing(({ target }) => target.includes('%00'), 400, 'invalid_parameter'),
  'pets.get.no-id': at(ONE).onRequest(path((before) => before.replace(/\/0+(?=\d)/, '/'))),
  'pets.get.deprecation': got(header('Deprecation', 'true')),
  'pets.get.link': got(headerText('Link', (link) => link.replace('successor-version', 'next'))),
  'pets.get.deprecation.not-found': missed(both(header('Deprecation', undefined), header('Sunset', undefined))),
}
