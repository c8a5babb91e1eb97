// Faults in what a new pet may be.

import { rewrite } from './shared/answer-changes.ts'
import { at, type ContractFault, type ContractFaults } from './shared/faults.ts'
import { added, adding, LIST, ONE, PETS, refusingToAdd } from './shared/operations.ts'
import { path } from './shared/request-changes.ts'
import { isOf } from './shared/requests.ts'
import { is, isMissing, number, objectOf, textOf } from './shared/values.ts'

export const CREATE_PET_FAULTS: ContractFaults = {
  'pets.create.name.stored': at(`${LIST}|${ONE}`, 200).answer.rewrite('name', (name) => name.trim()),
  'pets.create.headers': added.header('Location', '/v1/pets/1'),
  'pets.create.etag': added.header('ETag', '"another"'),
  'pets.create.status.default': adding.replace('status', isMissing, 'pending'),
  'pets.create.fields.refused': adding.replace('status', is('Sold'), 'sold'),
  'pets.create.id.rising': renumbering((id) => 1_000_000n - id),
  'pets.create.id.ignored': added.echo('id'),
  'pets.create.category-id.numbers': refusingToAdd((request) =>
    /^\d[\d.]*e\d$/i.test(textOf(objectOf(request).get('categoryId'))),
  ),
}

/** Other ids, everywhere alike; `change` is its own inverse. */
function renumbering(change: (id: bigint) => bigint): ContractFault {
  const other = (id: string) => number(change(BigInt(id)))
  const toService = path((before) => before.replace(/(?<=\/pets\/)-?\d{1,18}$/, (id) => other(id).text))
  return () => async (request, pass) => {
    if (!isOf(request, `${PETS}|HEAD /pets/*`)) return pass(request)
    const response = await pass(toService(request))
    return response.status < 300 ? rewrite('id', other)(response, request) : response
  }
}
