// Conditional requests (RFC 9110, 13), Cache-Control and HEAD, of each operation that reads. What is read may change meanwhile: a check judges
// only an answer that came while GET gave the same before and after.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import { eventually } from '../../fixtures.ts'
import type { Probe } from '../../probe.ts'
import { Unjudged } from '../../request.ts'
import type { Level, PromiseRow } from './promise.ts'
import { type Check, contract, header, parameter, rowsOf } from './rows.ts'

interface ReadFamily {
  level: Level
  /** The beginning of the ids: `pets.get`. */
  id: string
  operation: OperationId
  /** The promise without which nothing can be said. */
  first: string
  /** Behind the base path: what changes as little as possible. */
  path(probe: Probe): Promise<string>
  /** Everything writes to it. */
  alone?: boolean
}

type Headers = Record<string, string>
/** Judges the answer, given what GET answers without a condition. */
type Look = (plain: Answer, answer: Answer) => void

const LOOKS_MAX = 6
const TAG = /TAG/g

/** End of the id, header, its values (TAG is the tag), status, words, and the end of the id of what it depends on. */
const CONDITIONS: readonly (readonly [string, string, readonly string[], 200 | 304 | 412, string, string])[] = [
  ['if-none-match', 'If-None-Match', ['TAG'], 304, 'with the tag', 'etag'],
  ['if-none-match.weak', 'If-None-Match', ['W/TAG'], 304, 'with the tag in its weak form', 'if-none-match'],
  ['if-none-match.list', 'If-None-Match', ['"a,b", TAG'], 304, 'with the tag among others', 'if-none-match'],
  ['if-none-match.any', 'If-None-Match', ['*'], 304, 'with *', 'if-none-match'],
  ['if-none-match.other', 'If-None-Match', ['"x"', 'x', ''], 200, 'without the tag', 'etag'],
  ['if-match', 'If-Match', ['TAG', '"x", TAG', '*'], 200, 'with the tag, or with *', 'etag'],
  ['if-match.other', 'If-Match', ['"x"', 'x', ''], 412, 'without the tag', 'etag'],
  ['if-match.weak', 'If-Match', ['W/TAG'], 412, 'with the tag in its weak form', 'if-match.other'],
]
const ANSWERS = { 200: '200', 304: '304', 412: '412 precondition_failed' }

export function conditionRows(family: ReadFamily): PromiseRow[] {
  const { level, id, operation, alone = false } = family
  const row = rowsOf(level)
  const conditions = CONDITIONS.map(([end, name, values, status, words, after]) => {
    const look: Look = (_, answer) => answer.expectError(status, status === 412 ? 'precondition_failed' : undefined)
    const check: Check = async (probe) => {
      for (const value of values) await whileSame(family, look, { [name]: value })(probe)
    }
    const sentence = `${name} ${words}: ${ANSWERS[status]}.`
    return row(`${id}.${end}`, sentence)
      .from(parameter(operation, name), { after: [`${id}.${after}`], alone })
      .check(check)
  })
  return [...plainRows(family), ...conditions, ...notModifiedRows(family)]
}

/** Judges an answer with these headers, in which TAG becomes the tag. Looks again: what is read may have changed and changed back. */
function whileSame({ path }: ReadFamily, look: Look, headers: Headers = {}, method = 'GET'): Check {
  const represents = (answer: Answer) => answer.text + answer.header('Link')
  return async (probe) => {
    const target = await path(probe)
    await eventually(async () => {
      for (let n = 0; n < LOOKS_MAX; n++) {
        const plain = (await probe.get(target)).expectStatus(200)
        const tag = plain.header('ETag') ?? ''
        const sent = Object.entries(headers).map(([name, value]) => [name, value.replaceAll(TAG, () => tag)] as const)
        const answer = await probe.ask(`${method} ${target}`, { headers: Object.fromEntries(sent) })
        if (represents(await probe.get(target)) === represents(plain)) return look(plain, answer)
      }
      throw new Unjudged('What is read changes all the time.')
    })
  }
}

function plainRows(family: ReadFamily): PromiseRow[] {
  const { level, id, first, alone = false } = family
  const row = rowsOf(level)
  const after = { after: [first], alone }
  const sameTag: Look = (plain, answer) => {
    plain.expectHeader('ETag', /^(?:W\/)?"[^"]*"$/)
    answer.expectHeader('ETag', plain.header('ETag'))
  }
  const cached: Look = (_, answer) => answer.expectHeader('Cache-Control', 'private, no-cache')
  const head: Look = (plain, answer) => {
    answer.expectStatus(200).expectNoBody()
    const same = ['Content-Type', 'ETag', 'Cache-Control', 'Link', 'Deprecation', 'Sunset']
    for (const name of same) answer.expectHeader(name, plain.header(name))
  }
  const headCheck = whileSame(family, head, {}, 'HEAD')
  return [
    row(`${id}.etag`, 'The ETag is the same as long as the answer is.')
      .from(header('ETag'), after)
      .check(whileSame(family, sameTag)),
    row(`${id}.cache-control`, 'Cache-Control is private, no-cache.')
      .from(header('CacheControl'), after)
      .check(whileSame(family, cached)),
    row(`${id}.head`, 'HEAD answers as GET does, without the body.')
      .from('RFC 9110, section 9.3.2', after)
      .check(headCheck),
  ]
}

function notModifiedRows(family: ReadFamily): PromiseRow[] {
  const { level, id, alone = false } = family
  const row = rowsOf(level)
  const after = { after: [`${id}.if-none-match`], alone }
  const source = contract('components', 'responses', 'NotModified')
  const headers: Look = (plain, answer) => {
    for (const name of ['ETag', 'Cache-Control', 'Link']) answer.expectHeader(name, plain.header(name))
  }
  const body: Look = (_, answer) => answer.expectNoBody()
  const both: Look = (_, answer) => answer.expectStatus(304)
  const tag = { 'If-None-Match': 'TAG' }
  const second = { after: [`${id}.if-none-match`, `${id}.if-match`], alone }
  return [
    row(`${id}.not-modified.headers`, 'A 304 has ETag, Cache-Control and Link.')
      .from(source, after)
      .check(whileSame(family, headers, tag)),
    row(`${id}.not-modified.head`, 'HEAD with the tag in If-None-Match: 304, as for GET.')
      .from('RFC 9110, section 13.1.2', { ...after, after: [...after.after, `${id}.head`] })
      .check(whileSame(family, both, tag, 'HEAD')),
    row(`${id}.not-modified.body`, 'A 304 has no body.')
      .from('RFC 9110, section 15.4.5', after)
      .check(whileSame(family, body, tag)),
    row(`${id}.if-match.unchanged`, 'What If-Match allows, If-None-Match may find unchanged: 304.')
      .from('RFC 9110, section 13.2.2', second)
      .check(whileSame(family, both, { ...tag, 'If-Match': '*' })),
  ]
}
