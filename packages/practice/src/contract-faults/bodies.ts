// Faults in the bodies of creates, of pets and of orders alike: JSON that is not, sizes, media types, and a field of free text.

import type { Json } from '../../../contract/src/json.ts'
import { headerOf } from '../messages.ts'
import type { ClientRequest } from '../proxy.ts'
import {
  at,
  type Change,
  type ContractFault,
  type ContractFaults,
  header,
  jsonAnswer,
  objectOf,
  put,
  sending,
  textOf,
  under,
  type When,
} from './shared/builders.ts'
import { soldAgain } from './shared/memory.ts'
import { CREATE, depthOf, hasHeader, isJson, isText, number, PLACE } from './shared/operations.ts'

interface Creation {
  operation: string
  /** The code of JSON that is not what is wanted. */
  invalid: string
  /** The field of free text. */
  field: string
  /** An answer as if it had been right. */
  taken: Change
}

/** Bodies that are refused, by the end of the id. */
const WRONG_BODIES: Record<string, (text: string, body: Buffer) => boolean> = {
  'json.empty': (text) => text === '',
  'json.two-values': (text) => text.includes('}{'),
  'json.equal-names': (text) => text.includes('\\u0078'),
  'json.utf-8': (_, body) => body.includes(0xff),
  'json.byte-order-mark': (text) => text.startsWith('\ufeff'),
  'json.nesting.too-deep': (text) => depthOf(text) === 33,
  'json.nesting.far-too-deep': (text) => depthOf(text) > 33,
  'json.no-object': (text) => text === '[]',
}
const WRONG_TYPES: Record<string, RegExp> = {
  'media-type.other': /^text\/plain$/,
  'media-type.similar': /jsonx/,
  'media-type.two': /,/,
  'media-type.other-charset': /latin1/,
  'media-type.two-charsets': /utf-16/,
}
/** Those that are taken. */
const RIGHT_TYPES: Record<string, RegExp> = {
  'media-type.none': /^$/,
  'media-type.charset': /^Application\/JSON ;/,
  'media-type.parameters': /;;/,
}
const isLarge = ({ body }: ClientRequest) => body.length > 65_536
const isChunked = hasHeader('Transfer-Encoding', /chunked/)

function ofBodies({ operation, invalid, taken }: Creation): ContractFaults {
  const taking = (status: number, when: When): ContractFault => at(operation, status, when).onResponse(taken)
  const refusing = (when: When, status: number, code: string): ContractFault =>
    at(operation).refusing(when, status, code)
  const type = ({ headers }: ClientRequest) => headerOf(headers, 'Content-Type') ?? ''
  const isBroken: When = ({ body }) => body.length > 0 && !isJson(body)
  return {
    ...map(WRONG_BODIES, (wrong) => taking(400, ({ body }) => wrong(body.toString(), body))),
    ...map(WRONG_TYPES, (wrong) => taking(415, (request) => wrong.test(type(request)))),
    ...map(RIGHT_TYPES, (right) => refusing((request) => right.test(type(request)), 415, 'unsupported_media_type')),
    'json.broken': at(operation, 400, isBroken).onResponse(put('code', invalid)),
    'json.nesting': refusing(({ body }) => depthOf(body.toString()) === 32, 400, 'malformed_json'),
    size: refusing(({ body }) => body.length === 65_536, 413, 'body_too_large'),
    'size.too-large': taking(413, (request) => isLarge(request) && !isChunked(request)),
    'size.chunked': taking(413, (request) => isLarge(request) && isChunked(request)),
    chunked: refusing(isChunked, 411, 'length_required'),
    'content-encoding': at(operation, 415).onResponse(header('Accept-Encoding', undefined)),
    'content-encoding.identity': taking(415, hasHeader('Content-Encoding', /identity/)),
  }
}

function ofTexts({ operation, invalid, field, taken }: Creation): ContractFaults {
  const value = (request: ClientRequest) => objectOf(request).get(field)
  const rewriting = (change: (text: string) => string): ContractFault =>
    at(operation).onRequest(
      sending((object) => isText(object.get(field)) && object.set(field, change(textOf(object.get(field))))),
    )
  const taking = (wrong: (value: Json | undefined) => boolean): ContractFault =>
    at(operation, 400, (request) => wrong(value(request))).onResponse(taken)
  const matches = (wrong: RegExp) => taking((text) => isText(text) && wrong.test(textOf(text)))
  return {
    longest: at(operation).refusing((request) => [...textOf(value(request))].length === 255, 400, invalid),
    spacing: rewriting((text) => text.replaceAll(/ {2,}/g, ' ')),
    invisible: rewriting((text) => text.replaceAll('\u200b', '')),
    untrimmed: rewriting((text) => text.trim()),
    unnormalised: rewriting((text) => text.normalize('NFC')),
    'too-long': rewriting((text) => text.slice(0, 255)),
    empty: matches(/^$/),
    blank: matches(/^\s+$/),
    nul: matches(/\0/),
    surrogate: taking((text) => isText(text) && !textOf(text).isWellFormed()),
  }
}

function map<Value>(of: Record<string, Value>, faultOf: (value: Value) => ContractFault): ContractFaults {
  return Object.fromEntries(Object.entries(of).map(([end, value]) => [end, faultOf(value)]))
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
