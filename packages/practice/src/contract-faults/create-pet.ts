// Faults in what a new pet may be.

import { at, type ContractFaults, header, replacing, rewrite } from './shared/builders.ts'
import {
  added,
  adding,
  categoryOf,
  echoing,
  is,
  isMissing,
  LIST,
  ONE,
  refusingToAdd,
  renumbering,
} from './shared/operations.ts'

export const CREATE_PET_FAULTS: ContractFaults = {
  'pets.create.name.stored': at(`${LIST}|${ONE}`, 200).onResponse(rewrite('name', (name) => name.trim())),
  'pets.create.headers': added(header('Location', '/v1/pets/1')),
  'pets.create.etag': added(header('ETag', '"another"')),
  'pets.create.status.default': adding(replacing('status', isMissing, 'pending')),
  'pets.create.fields.refused': adding(replacing('status', is('Sold'), 'sold')),
  'pets.create.id.rising': renumbering((id) => 1_000_000n - id),
  'pets.create.id.ignored': added(echoing('id')),
  'pets.create.category-id.numbers': refusingToAdd((request) => /^\d[\d.]*e\d$/i.test(categoryOf(request))),
}
