// Conditional requests (RFC 9110, 13), Cache-Control and HEAD, of each operation that reads. What is read may change meanwhile: a check holds only
// what came while the answer was the same before and after.

import type { OperationId } from '../../contract/contract.ts'
import type { Answer } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import type { Probe } from '../probe.ts'
import type { Level, PromiseRow } from '../promise.ts'
import { type Check, header, parameter, rowsOf } from './rows.ts'

export interface ReadFamily {
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

const LOOKS_MAX = 6

/** Judges an answer to the path, asked with what `headers` makes of the tag. */
type Look = (first: Answer, second: Answer) => void

export function conditionRows({ level, id, operation, first, path, alone = false }: ReadFamily): PromiseRow[] {
  const row = rowsOf(level)
  const represents = (answer: Answer) => answer.text + answer.header('Link')
  const whileSame =
    (look: Look, headers: (tag: string) => Record<string, string>, method = 'GET'): Check =>
    async (probe) => {
      const target = await path(probe)
      for (let n = 0; n < LOOKS_MAX; n++) {
        const before = (await probe.get(target)).expectStatus(200)
        const answer = await probe.ask(`${method} ${target}`, { headers: headers(before.header('ETag') ?? '') })
        if (represents(await probe.get(target)) === represents(before)) return look(before, answer)
      }
      throw new Unjudged('What is read changes all the time.')
    }
  const status =
    (expected: number, code?: string): Look =>
    (_, answer) => {
      answer.expectError(expected, code)
    }
  const none = (condition: (tag: string) => string) => (tag: string) => ({ 'If-None-Match': condition(tag) })
  const match = (condition: (tag: string) => string) => (tag: string) => ({ 'If-Match': condition(tag) })
  const weak = (tag: string) => `W/${tag}`
  const [noneSource, matchSource] = [parameter(operation, 'If-None-Match'), parameter(operation, 'If-Match')]
  const tagged = { after: [`${id}.etag`], alone }
  const modified = { after: [`${id}.if-none-match`], alone }
  const unmet = { after: [`${id}.if-match.other`], alone }
  const sameTag: Look = (before, answer) => {
    before.expectHeader('ETag', /^(?:W\/)?"[^"]*"$/)
    if (answer.header('ETag') !== before.header('ETag')) {
      throw answer.broken(`ETag: ${before.header('ETag')}, as before`, `ETag: ${answer.header('ETag') ?? 'none'}`)
    }
  }
  const head: Look = (get, answer) => {
    answer.expectStatus(200)
    if (answer.text !== '') throw answer.broken('no body', answer.text)
    for (const name of ['Content-Type', 'ETag', 'Cache-Control', 'Link']) answer.expectHeader(name, get.header(name))
  }
  const match200: Check = async (probe) => {
    for (const condition of [(tag: string) => tag, () => '*']) await whileSame(status(200), match(condition))(probe)
  }
  return [
    row(
      `${id}.etag`,
      'The answer has an ETag, the same as long as the answer is.',
      header('ETag'),
      whileSame(sameTag, () => ({})),
      { after: [first], alone },
    ),
    row(
      `${id}.cache-control`,
      'Cache-Control is private, no-cache.',
      header('CacheControl'),
      whileSame(
        (before) => {
          before.expectHeader('Cache-Control', 'private, no-cache')
        },
        () => ({}),
      ),
      { after: [first], alone },
    ),
    row(
      `${id}.if-none-match`,
      'If-None-Match with the tag: 304.',
      noneSource,
      whileSame(
        status(304),
        none((tag) => tag),
      ),
      tagged,
    ),
    row(
      `${id}.if-none-match.weak`,
      'If-None-Match with the tag in its weak form: 304.',
      noneSource,
      whileSame(status(304), none(weak)),
      modified,
    ),
    row(
      `${id}.if-none-match.list`,
      'If-None-Match with the tag among others: 304.',
      noneSource,
      whileSame(
        status(304),
        none((tag) => `"a,b", ${tag}`),
      ),
      modified,
    ),
    row(
      `${id}.if-none-match.any`,
      'If-None-Match: * gives 304.',
      noneSource,
      whileSame(
        status(304),
        none(() => '*'),
      ),
      modified,
    ),
    row(
      `${id}.if-none-match.other`,
      'If-None-Match with another tag: 200.',
      noneSource,
      whileSame(
        status(200),
        none(() => '"x"'),
      ),
      tagged,
    ),
    row(
      `${id}.not-modified.headers`,
      'A 304 has ETag and Cache-Control.',
      'openapi.yaml#/components/responses/NotModified',
      whileSame(
        (before, answer) => {
          for (const name of ['ETag', 'Cache-Control']) answer.expectHeader(name, before.header(name))
        },
        none((tag) => tag),
      ),
      modified,
    ),
    row(
      `${id}.not-modified.body`,
      'A 304 has no body.',
      'RFC 9110, section 15.4.5',
      whileSame(
        (_, answer) => {
          if (answer.text !== '') throw answer.broken('no body', answer.text)
        },
        none((tag) => tag),
      ),
      modified,
    ),
    row(`${id}.if-match`, 'If-Match with the tag, or with *: 200.', matchSource, match200, tagged),
    row(
      `${id}.if-match.other`,
      'If-Match with another tag: 412 precondition_failed.',
      matchSource,
      whileSame(
        status(412, 'precondition_failed'),
        match(() => '"x"'),
      ),
      tagged,
    ),
    row(
      `${id}.if-match.weak`,
      'If-Match with the tag in its weak form: 412 precondition_failed.',
      matchSource,
      whileSame(status(412, 'precondition_failed'), match(weak)),
      unmet,
    ),
    row(
      `${id}.head`,
      'HEAD answers as GET does, without the body.',
      'RFC 9110, section 9.3.2',
      whileSame(head, () => ({}), 'HEAD'),
      { after: [first], alone },
    ),
  ]
}
