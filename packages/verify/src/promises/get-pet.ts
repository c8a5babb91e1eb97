// Level `pets`: what this project promises about fetching a pet, beyond the interface document.

import { operations } from '../../../contract/src/contract.ts'
import { textOf } from '../answer.ts'
import { absentId } from '../fixtures.ts'
import { somePetId } from '../pet-lists.ts'
import { wrongIntegers } from '../wrong-values.ts'
import { whileGetPetExists } from './interface-keys.ts'
import { linkOf } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, header, parameter, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const deprecation = operations.find(({ id }) => id === 'getPet')?.deprecation
const [since, sunset] = [deprecation?.since ?? 0, deprecation?.sunset ?? 0]
const FETCHED = reading('pets.get.success')

export const getPetPromises: readonly PromiseRow[] = [
  row('pets.get.no-id', 'A petId that is not an int64 in plain decimal: 404 not_found.')
    .from(parameter('getPet', 'petId'))
    .check(async (probe) => {
      whileGetPetExists(probe)
      const known = await somePetId(probe).catch(() => '1')
      for (const id of [...wrongIntegers(known), ' ', '1;2'])
        (await probe.get(`/pets/${encodeURIComponent(id)}`)).expectError(404, 'not_found')
    }),
  // A separate promise, because a gateway can reject such a path.
  row('pets.get.no-id.nul', 'A petId with an encoded U+0000: 404 not_found.')
    .from(parameter('getPet', 'petId'), reading('pets.get.no-id'))
    .check(async (probe) => {
      whileGetPetExists(probe)
      ;(await probe.get('/pets/%00')).expectError(404, 'not_found')
    }),
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
