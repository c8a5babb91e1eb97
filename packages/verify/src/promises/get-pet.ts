// Level `pets`: what this project promises about fetching a pet, beyond the interface document.

import { operations } from '../../../contract/src/contract.ts'
import { textOf } from '../answer.ts'
import { absentId } from '../fixtures.ts'
import { somePetId } from '../pet-lists.ts'
import { whileGetPetExists } from './interface-keys.ts'
import { linkOf } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, header, parameter, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const deprecation = operations.find(({ id }) => id === 'getPet')?.deprecation
const [since, sunset] = [deprecation?.since ?? 0, deprecation?.sunset ?? 0]
const FETCHED = reading('pets.get.success')

/** ID is replaced by the id of a pet. */
const NO_IDS = {
  'no-id': [
    'that is not an int64 in plain decimal',
    ...['x', '%20', '1;2', '9223372036854775808', '-9223372036854775809'],
    ...['0ID', '%2BID', 'ID.0', 'IDe0', '-0', 'ID%20', '%D9%A1'],
  ],
  // A separate promise, because a gateway can refuse such a path.
  'no-id.nul': ['with an encoded U+0000', '%00'],
}

export const getPetPromises: readonly PromiseRow[] = [
  ...Object.entries(NO_IDS).map(([end, [words, ...ids]]) =>
    row(`pets.get.${end}`, `A petId ${words}: 404 not_found.`)
      .from(parameter('getPet', 'petId'), end === 'no-id' ? {} : reading('pets.get.no-id'))
      .check(async (probe) => {
        whileGetPetExists(probe)
        const known = await somePetId(probe).catch(() => '1')
        for (const id of ids) (await probe.get(`/pets/${id.replace('ID', known)}`)).expectError(404, 'not_found')
      }),
  ),
  row('pets.get.deprecation', 'Deprecation has the date of the deprecation, Sunset the date of the removal.')
    .from([header('Deprecation'), header('Sunset')], FETCHED)
    .check(async (probe) => {
      whileGetPetExists(probe)
      const answer = await probe.read(`/pets/${await somePetId(probe)}`)
      answer.expectHeader('Deprecation', `@${since / 1000}`).expectHeader('Sunset', new Date(sunset).toUTCString())
    }),
  row('pets.get.link', 'Link has rel="deprecation", and rel="successor-version" with the pets of its status.')
    .from(header('DeprecationLinks'), FETCHED)
    .check(async (probe) => {
      whileGetPetExists(probe)
      const answer = await probe.read(`/pets/${await somePetId(probe)}`)
      const successor = `/v1/pets?status=${textOf(answer.object().get('status'))}`
      const isLinked = linkOf(answer, 'deprecation') && linkOf(answer, 'successor-version')?.endsWith(successor)
      answer.expect(!!isLinked, 'Link with both relations', `Link: ${answer.header('Link') ?? 'none'}`)
    }),
  row('pets.get.deprecation.not-found', 'A 404 has Deprecation and Sunset, too.')
    .from(documented('GET /pets/{petId}', 'Deprecation'), reading('pets.get.deprecation'))
    .check(async (probe) => {
      whileGetPetExists(probe)
      const answer = await probe.get(`/pets/${absentId()}`)
      answer.expectHeader('Deprecation', /./).expectHeader('Sunset', /./)
    }),
]
