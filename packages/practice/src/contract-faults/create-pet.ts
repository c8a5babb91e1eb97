// Faults in what a new pet may be.

import { at, type ContractFaults, each, header, objectOf, replacing, rewrite } from './shared/builders.ts'
import {
  added,
  adding,
  categoryOf,
  echoing,
  hasHeader,
  is,
  isMissing,
  isOutside,
  isUnknown,
  LIST,
  number,
  ONE,
  refused,
  refusingToAdd,
  renumbering,
} from './shared/operations.ts'

const FIELDS = ['name', 'categoryId', 'status']

export const CREATE_PET_FAULTS: ContractFaults = {
  'pets.create.name.stored': at(`${LIST}|${ONE}`, 200).onResponse(rewrite('name', (name) => name.trim())),
  'pets.create.location': added(header('Location', '/v1/pets/1')),
  'pets.create.etag': added(header('ETag', '"another"')),
  'pets.create.request-id': added(header('X-Request-Id', undefined)),
  'pets.create.status.default': adding(replacing('status', isMissing, 'pending')),
  'pets.create.status.case': adding(replacing('status', is('Sold'), 'sold')),
  'pets.create.status.null': adding(replacing('status', is(null), undefined)),
  'pets.create.id.positive': renumbering((id) => -id),
  'pets.create.id.rising': renumbering((id) => 1_000_000n - id),
  'pets.create.id.ignored': added(echoing('id')),
  'pets.create.fields.unknown': refusingToAdd((request) => [...objectOf(request).keys()].some(isUnknown(FIELDS))),
  'pets.create.refused.code': refused(each(replacing('code', is('invalid_pet'), 'malformed_json'))),
  'pets.create.category-id.largest': refusingToAdd((request) => categoryOf(request) === '9223372036854775807'),
  'pets.create.category-id.smallest': refusingToAdd((request) => categoryOf(request) === '-9223372036854775808'),
  'pets.create.category-id.decimal': refusingToAdd((request) => categoryOf(request) === '7.0'),
  'pets.create.category-id.exponent': refusingToAdd((request) => /^\d[\d.]*e\d$/i.test(categoryOf(request))),
  'pets.create.category-id.minus-zero': refusingToAdd((request) => categoryOf(request) === '-0'),
  'pets.create.category-id.too-large': adding(replacing('categoryId', isOutside(/^\d{19,}$/), number(7))),
  'pets.create.category-id.too-small': adding(replacing('categoryId', isOutside(/^-\d{19,}$/), number(7))),
  'pets.create.category-id.huge-exponent': adding(replacing('categoryId', isOutside(/e\+?\d{5,}$/i), number(7))),
  'pets.create.category-id.small-exponent': adding(replacing('categoryId', isOutside(/e-\d{5,}$/i), number(0))),
  'pets.create.preconditions': refusingToAdd(hasHeader('If-Match', /./), 412, 'precondition_failed'),
}
