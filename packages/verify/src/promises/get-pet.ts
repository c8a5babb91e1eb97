// Level `pets`: what this project adds to fetching a pet.

import { operations } from '../../../contract/src/contract.ts'
import { absentId, somePetId } from '../fixtures.ts'
import { whileGetPetExists } from './interface-keys.ts'
import { linkOf } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, header, parameter, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const deprecation = operations.find(({ id }) => id === 'getPet')?.deprecation

/** ID stands for that of a pet. */
const NO_IDS: Record<string, readonly [string, readonly string[], string?]> = {
  text: ['that is no number', ['x', '%20', '1;2']],
  nul: ['with an encoded U+0000', ['%00'], 'text'],
  range: ['outside int64', ['9223372036854775808', '-9223372036854775809']],
  spelling: ['that is not in plain decimal', ['0ID', '%2BID', 'ID.0', 'IDe0', '-0', 'ID%20', '%D9%A1'], 'text'],
}

/** Rows for a header of every answer of getPet. */
const announced = (name: string, expected: string | RegExp): Check => {
  return async (probe) => {
    whileGetPetExists()
    ;(await probe.get(`/pets/${await somePetId(probe)}`)).expectHeader(name, expected)
  }
}

const linked = (relation: string, expected: RegExp): Check => {
  return async (probe) => {
    whileGetPetExists()
    const answer = await probe.get(`/pets/${await somePetId(probe)}`)
    const target = linkOf(answer, relation)
    if (target === undefined || !expected.test(target))
      throw answer.broken(
        `Link with rel="${relation}" to ${expected.source}`,
        `Link: ${answer.header('Link') ?? 'none'}`,
      )
  }
}

const FETCHED = reading('pets.get.success')
export const [since, sunset] = [deprecation?.since ?? 0, deprecation?.sunset ?? 0]

export const getPetPromises: readonly PromiseRow[] = [
  ...Object.entries(NO_IDS).map(([name, [words, ids, after]]) =>
    row(`pets.get.no-id.${name}`, `A petId ${words}: 404 not_found.`)
      .from(parameter('getPet', 'petId'), after ? reading(`pets.get.no-id.${after}`) : {})
      .check(async (probe) => {
        whileGetPetExists()
        const known = await somePetId(probe).catch(() => '1')
        for (const id of ids) (await probe.get(`/pets/${id.replace('ID', known)}`)).expectError(404, 'not_found')
      }),
  ),
  row('pets.get.deprecation', 'Deprecation says since when getPet is deprecated (RFC 9745).')
    .from(header('Deprecation'), FETCHED)
    .check(announced('Deprecation', `@${since / 1000}`)),
  row('pets.get.sunset', 'Sunset says when getPet will be removed (RFC 8594).')
    .from(header('Sunset'), FETCHED)
    .check(announced('Sunset', new Date(sunset).toUTCString())),
  row('pets.get.link.successor', 'Link has rel="successor-version": the list of available pets.')
    .from(header('DeprecationLinks'), FETCHED)
    .check(linked('successor-version', /\/v1\/pets\?status=available$/)),
  row('pets.get.link.deprecation', 'Link has rel="deprecation".')
    .from(header('DeprecationLinks'), FETCHED)
    .check(linked('deprecation', /./)),
  row('pets.get.deprecation.not-found', 'A 404 of getPet announces its removal, too.')
    .from(documented('GET /pets/{petId}', 'Deprecation'), reading('pets.get.deprecation', 'pets.get.sunset'))
    .check(async (probe) => {
      whileGetPetExists()
      const answer = await probe.get(`/pets/${absentId()}`)
      answer.expectHeader('Deprecation', /./).expectHeader('Sunset', /./)
    }),
]
