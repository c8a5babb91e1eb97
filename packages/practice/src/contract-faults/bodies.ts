// Faults in the bodies of creates, for pets and orders: invalid JSON, sizes, media types and free text.

import { BODY_BYTES_MAX, NESTING_MAX } from '../../../contract/src/limits.ts'
import { headerOf } from '../messages.ts'
import type { ClientRequest } from '../proxy.ts'
import type * as answers from './shared/answer-changes.ts'
import { type ContractFault, type ContractFaults, faultsAt, jsonAnswer, under } from './shared/faults.ts'
import { soldAgain } from './shared/memory.ts'
import { CREATE, PLACE } from './shared/operations.ts'
import type { When } from './shared/requests.ts'
import { depthOf, is, isJson, isText, number, objectOf, textOf } from './shared/values.ts'

interface Creation {
  operation: string
  /** The error code for JSON that does not match the schema. */
  invalid: string
  /** The name of the free text field. */
  field: string
  /** Returns the response to a valid create instead of an error. */
  taken: answers.Change
}

function ofBodies({ operation, invalid, taken }: Creation): ContractFaults {
  const taking = (status: number, when: When): ContractFault => faultsAt(operation, status, when).onResponse(taken)
  const refusing = (when: When, status: number, code: string): ContractFault =>
    faultsAt(operation).refusing(when, status, code)
  const type = ({ headers }: ClientRequest) => headerOf(headers, 'Content-Type') ?? ''
  const isBroken: When = ({ body }) => body.length > 0 && !isJson(body)
  return {
    'refused.code': faultsAt(operation, 400).answer.replace('code', is(invalid), 'malformed_json'),
    'json.broken': faultsAt(operation, 400, isBroken).answer.put('code', invalid),
    'json.equal-names': taking(400, ({ body }) => body.includes('\\u0078')),
    'json.nesting': refusing(({ body }) => depthOf(body.toString()) === NESTING_MAX, 400, 'malformed_json'),
    'json.nesting.too-deep': taking(400, ({ body }) => depthOf(body.toString()) > NESTING_MAX),
    size: refusing(({ body }) => body.length === BODY_BYTES_MAX, 413, 'body_too_large'),
    'size.too-large': taking(413, ({ body }) => body.length > BODY_BYTES_MAX),
    'media-type': refusing((request) => /^Application|;;/.test(type(request)), 415, 'unsupported_media_type'),
    'media-type.other': taking(415, (request) => /^text\/plain$/.test(type(request))),
    'content-encoding': faultsAt(operation, 415).answer.header('Accept-Encoding'),
  }
}

function ofTexts({ operation, field, taken }: Creation): ContractFaults {
  const isBlank: When = (request) => /^\s+$/.test(textOf(objectOf(request).get(field)))
  return {
    exact: faultsAt(operation).request.object(
      (object) => isText(object.get(field)) && object.set(field, textOf(object.get(field)).trim()),
    ),
    refused: faultsAt(operation, 400, isBlank).onResponse(taken),
  }
}

const PET: Creation = {
  operation: CREATE,
  invalid: 'invalid_pet',
  field: 'name',
  taken: () => jsonAnswer(201, { id: 7_000_000, name: 'Rex', categoryId: number(7), status: 'available' }),
}
const NEW_ORDER: Creation = { operation: PLACE, invalid: 'invalid_order', field: 'reference', taken: soldAgain }

export const BODY_FAULTS: ContractFaults = {
  ...under('pets.create', ofBodies(PET)),
  ...under('pets.create.name', ofTexts(PET)),
  ...under('orders.place', ofBodies(NEW_ORDER)),
  ...under('orders.place.reference', ofTexts(NEW_ORDER)),
}
