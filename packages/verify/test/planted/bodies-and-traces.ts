// Planted faults: slightly changed names, values of wrong types, and traces of deletions and changes.

import { isUtf8 } from 'node:buffer'
import { type Json, JsonNumber } from '../../../contract/src/json.ts'
import { BODY_BYTES_MAX } from '../../../contract/src/limits.ts'
import * as changes from '../../../practice/src/contract-faults/shared/changes.ts'
import type { ContractFault, ContractFaults } from '../../../practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../practice/src/contract-faults/shared/operations.ts'
import { isOf, parametersOf, pathOf } from '../../../practice/src/contract-faults/shared/requests.ts'
import { isText, number, objectOf, replacing, textOf } from '../../../practice/src/contract-faults/shared/values.ts'

/** Changes a field of the body. If nothing changes, the body stays the same to the byte. */
const sendingField = (operation: string, field: string, change: (value?: Json) => Json | undefined): ContractFault => ({
  on: operation,
  send: (request) => {
    const value = objectOf(request).get(field)
    const right = change(value)
    if (request.body.length > BODY_BYTES_MAX || !isUtf8(request.body) || right === value) return request
    return changes.each(replacing(field, () => true, right))(request)
  },
})
const writing = (operation: string, field: string, change: (text: string) => string): ContractFault =>
  sendingField(operation, field, (value) => (isText(value) ? change(textOf(value)) : value))
const naming = (change: (name: string) => string): ContractFault => writing(on.CREATE, 'name', change)
const NAMES: ContractFaults = {
  'zero-width characters are removed': naming((name) => name.replaceAll(/[\u200b-\u200d\u2060]/g, '')),
  'CR LF becomes LF': naming((name) => name.replaceAll('\r\n', '\n')),
  'U+FEFF is removed': naming((name) => name.replaceAll('\ufeff', '')),
  'control characters are removed': naming((name) => name.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '')),
  'variation selectors are removed': naming((name) => name.replaceAll('\ufe0f', '')),
  'a tab becomes a space': naming((name) => name.replaceAll('\t', ' ')),
  'a changed name is trimmed': writing(on.UPDATE, 'name', (name) => name.trim()),
  'a reference loses zero-width characters': writing(on.PLACE, 'reference', (text) => text.replaceAll('\u200b', '')),
}

/** Accepts a wrong value as another one. */
const taking = (operation: string, field: string, isWrong: (value?: Json) => boolean, right?: Json): ContractFault =>
  sendingField(operation, field, (value) => (isWrong(value) ? right : value))
const isArray = (value: Json | undefined) => Array.isArray(value)
const isObject = (value: Json | undefined) => value instanceof Map
const isTruth = (value: Json | undefined) => typeof value === 'boolean'
const isEmpty = (value: Json | undefined) => value === ''
const TYPES: ContractFaults = {
  'a name of true': taking(on.CREATE, 'name', isTruth, 'true'),
  'an object as name': taking(on.CREATE, 'name', isObject, '[object Object]'),
  'a categoryId of true': taking(on.CREATE, 'categoryId', isTruth, number(1)),
  'an empty categoryId': taking(on.CREATE, 'categoryId', isEmpty, number(0)),
  'a status of false': taking(on.CREATE, 'status', isTruth, undefined),
  'an empty status': taking(on.CREATE, 'status', isEmpty, undefined),
  'a text as body': {
    on: on.CREATE,
    send: (request) =>
      /^\s*"/.test(request.body.toString())
        ? { ...request, body: Buffer.from('{"name":"petstore verify","categoryId":7}') }
        : request,
  },
  'a petId of true': {
    on: on.PLACE,
    status: 400,
    when: (request) => isTruth(objectOf(request).get('petId')),
    answer: (response) => ({
      ...response,
      status: 404,
      body: Buffer.from('{"code":"pet_not_found","message":"Pet 1 does not exist.","status":404}'),
    }),
  },
  'a reference that is a number': taking(on.PLACE, 'reference', (value) => value instanceof JsonNumber, '7'),
  'an expiresAt of false': taking(on.PLACE, 'expiresAt', isTruth, undefined),
  'a changed name in an array': taking(on.UPDATE, 'name', isArray, 'array'),
  'a changed categoryId of true': taking(on.UPDATE, 'categoryId', isTruth, number(1)),
  'an object as changed reference': taking(on.CHANGE, 'reference', isObject, 'object'),
}

/** Lists deleted pets if `when` is true. */
function leaving(when: (parameters: URLSearchParams, pet: Map<string, Json>) => boolean): ContractFault {
  return () => {
    const added = new Map<string, Map<string, Json>>()
    const deleted: Map<string, Json>[] = []
    return async (request, pass) => {
      const response = await pass(request)
      const pet = objectOf(response)
      if (isOf(request, on.CREATE) && response.status === 201) added.set(textOf(pet.get('id')), pet)
      const gone = added.get(pathOf(request.target).split('/')[2] ?? '')
      if (isOf(request, on.DELETE) && response.status === 204 && gone) deleted.push(gone)
      if (!isOf(request, on.LIST) || response.status !== 200 || parametersOf(request).has('cursor')) return response
      const parameters = parametersOf(request)
      const limit = Number(parameters.get('limit') ?? 20)
      return changes.items((all) => {
        const left = deleted.filter((one) => when(parameters, one))
        if (left.length === 0) return all
        const sign = parameters.get('sort') === 'newest' ? -1 : 1
        return [...all, ...left].sort((one, other) => sign * (order(one) - order(other))).slice(0, limit)
      })(response)
    }
  }
}
const order = (pet: Json) => (pet instanceof Map ? Number(textOf(pet.get('id'))) : 0)
const has = (parameters: URLSearchParams, name: string, pet: Map<string, Json>) =>
  parameters.get(name) === textOf(pet.get(name))
const only = (parameters: URLSearchParams, ...names: string[]) =>
  [...parameters.keys()].every((name) => ['limit', 'sort'].includes(name) || names.includes(name)) &&
  names.every((name) => parameters.has(name))

/** Keeps pets in a filtered list after the field was changed. */
const stale = (filter: string, field: string): ContractFault => {
  return () => {
    const shown = new Map<string, Json[]>()
    const corrected = new Set<string>()
    return async (request, pass) => {
      const response = await pass(request)
      if (isOf(request, on.UPDATE) && response.status === 200 && objectOf(request).has(field)) {
        corrected.add(pathOf(request.target).split('/')[2] ?? '')
      }
      if (!isOf(request, on.LIST) || response.status !== 200 || !parametersOf(request).has(filter)) return response
      return changes.items((all) => {
        const ids = all.map(idOf)
        const before = shown.get(request.target) ?? []
        shown.set(request.target, all)
        return [...before.filter((pet) => corrected.has(idOf(pet)) && !ids.includes(idOf(pet))), ...all]
      })(response)
    }
  }
}
const idOf = (pet: Json) => (pet instanceof Map ? textOf(pet.get('id')) : '')

const TRACES: ContractFaults = {
  'a deleted pet is still listed': leaving((parameters) => only(parameters)),
  'a deleted pet is still in the list of its status': leaving(
    (parameters, pet) => only(parameters, 'status') && has(parameters, 'status', pet),
  ),
  'the old name is still found': stale('search', 'name'),
  'a pet stays in its old category': stale('categoryId', 'categoryId'),
  'a pet stays in the list of its old status': stale('status', 'status'),
}

export const BODIES_PLANTED: ContractFaults = { ...NAMES, ...TYPES, ...TRACES }
