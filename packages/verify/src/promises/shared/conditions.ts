// Rows that every read has: conditional requests (RFC 9110, 13), Cache-Control and HEAD. A check only judges a
// response if GET returned the same representation before and after it, because other clients can change the resource.

import type { Answer } from '../../answer.ts'
import { retryRaces } from '../../fixtures.ts'
import type { Probe } from '../../probe.ts'
import { type Check, contract, familyOf, header, parameter } from './rows.ts'

interface ReadFamily {
  /** The start of the ids: `pets.get`. */
  id: string
  /** The promise that all rows depend on. */
  first: string
  /** Below the base path: a resource that changes as little as possible. */
  path(probe: Probe): Promise<string>
  /** Set if every write changes the resource. */
  alone?: 'reads'
}

type Headers = Record<string, string>
/** Judges a response, given the response to a plain GET. */
type Look = (plain: Answer, answer: Answer) => void

const LOOKS_MAX = 6
const TAG = /TAG/g

/** The end of the id, header, values (TAG is the ETag), status and description. */
const CONDITIONS: readonly (readonly [string, string, readonly string[], 200 | 304 | 412, string])[] = [
  ['if-none-match', 'If-None-Match', ['TAG', 'W/TAG', '"a,b", TAG', 'TAG, "x"', '*'], 304, 'with the ETag or *'],
  ['if-none-match.other', 'If-None-Match', ['"x"', '"x", "y"', 'x', ''], 200, 'without the ETag'],
  ['if-match', 'If-Match', ['TAG', '"x", TAG', 'TAG, "x"', '*'], 200, 'with the ETag or *'],
  ['if-match.other', 'If-Match', ['"x"', '"x", "y"', 'x', '', 'W/TAG'], 412, 'without the ETag, or with a weak one'],
]
const ANSWERS = { 200: '200', 304: '304', 412: '412 precondition_failed' }

/** Judges responses to these headers, with TAG replaced. Retries, because the resource can change and change back. */
function whileSame({ path }: ReadFamily, look: Look, sent: readonly Headers[], method = 'GET'): Check {
  const represents = (answer: Answer) => answer.text + answer.header('Link')
  return async (probe) => {
    const target = await path(probe)
    let plain = await probe.read(target)
    const orElse = async (headers: Headers) => {
      for (let n = 0; n < LOOKS_MAX; n++) {
        const before = plain
        const tag = before.header('ETag') ?? ''
        const tagged = Object.entries(headers).map(([name, value]) => [name, value.replaceAll(TAG, () => tag)] as const)
        const answer = await probe.ask(`${method} ${target}`, { headers: Object.fromEntries(tagged) })
        plain = await probe.read(target)
        if (represents(plain) === represents(before)) return look(before, answer)
      }
      throw probe.unjudged('The resource changes all the time.')
    }
    for (const headers of sent) await retryRaces(() => orElse(headers))
  }
}

/** Expects `change` to change the ETag at the path. Resolves with the response after the change. */
export async function expectTagChange(probe: Probe, path: string, change: () => Promise<unknown>): Promise<Answer> {
  const tag = (await probe.read(path)).header('ETag') ?? ''
  await change()
  return (await probe.get(path, { 'If-None-Match': tag })).expectStatus(200).expectOtherTag(tag)
}

export function conditionRows(family: ReadFamily) {
  const { id, first, path, alone } = family
  const { row, of } = familyOf(id)
  const premises = (...ids: string[]) => ({ premises: ids, ...(alone && { alone }) })
  const sameTag: Look = (plain, answer) => {
    plain.expectHeader('ETag', /^(?:W\/)?"[^"]*"$/)
    answer.expectHeader('ETag', plain.header('ETag'))
  }
  const head: Look = (plain, answer) => {
    answer.expectStatus(200).expectText('')
    const same = ['Content-Type', 'ETag', 'Cache-Control', 'Link', 'Deprecation', 'Sunset']
    for (const name of same) answer.expectHeader(name, plain.header(name))
    answer.expectSameLength(plain)
  }
  const notModified: Look = (plain, answer) => {
    answer.expectText('')
    for (const name of ['ETag', 'Cache-Control', 'Link']) answer.expectHeader(name, plain.header(name))
  }
  const unchanged: Look = (_, answer) => answer.expectStatus(304)
  const tag = { 'If-None-Match': 'TAG' }
  return [
    row(`${id}.etag`, 'The ETag stays the same while the response does.')
      .from(header('ETag'), premises(first))
      .check(whileSame(family, sameTag, [{}])),
    row(`${id}.cache-control`, 'Cache-Control is private, no-cache.')
      .from(header('CacheControl'), premises(first))
      .check(async (probe) => (await probe.read(await path(probe))).expectHeader('Cache-Control', 'private, no-cache')),
    row(`${id}.head`, 'HEAD returns the same headers as GET, without the body.')
      .from('RFC 9110, section 9.3.2', premises(first))
      .check(whileSame(family, head, [{}], 'HEAD')),
    ...CONDITIONS.map(([end, name, values, status, words]) => {
      const look: Look = (_, answer) => answer.expectError(status, status === 412 ? 'precondition_failed' : undefined)
      const sent = values.map((value) => ({ [name]: value }))
      return row(`${id}.${end}`, `${name} ${words}: ${ANSWERS[status]}.`)
        .from(parameter(of, name), premises(`${id}.etag`))
        .check(whileSame(family, look, sent))
    }),
    row(`${id}.not-modified`, 'A 304 has ETag, Cache-Control and Link, and no body.')
      .from(
        [contract('components', 'responses', 'NotModified'), 'RFC 9110, section 15.4.5'],
        premises(`${id}.if-none-match`),
      )
      .check(whileSame(family, notModified, [tag])),
    row(`${id}.not-modified.head`, 'HEAD with the ETag in If-None-Match: 304, as for GET.')
      .from('RFC 9110, section 13.1.2', premises(`${id}.if-none-match`, `${id}.head`))
      .check(whileSame(family, unchanged, [tag], 'HEAD')),
    row(`${id}.if-match.unchanged`, 'If both If-Match and If-None-Match match: 304.')
      .from('RFC 9110, section 13.2.2', premises(`${id}.if-none-match`, `${id}.if-match`))
      .check(whileSame(family, unchanged, [{ ...tag, 'If-Match': '*' }])),
  ]
}
