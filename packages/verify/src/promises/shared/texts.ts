// Free text, as `name` and `reference` have it: what is taken and comes back as it was sent, and what is refused.

import { newName } from '../../fixtures.ts'
import type { BodyFamily } from './family.ts'
import type { PromiseRow } from './promise.ts'
import { type Check, rowsOf, writing } from './rows.ts'

/** End of the id, words, and the text. */
const TAKEN: readonly (readonly [string, string, () => string])[] = [
  ['longest', 'of 255 code points is taken', () => '🐶'.repeat(255)],
  ['untrimmed', 'keeps the spaces around it', () => ` ${newName()} `],
  ['spacing', 'keeps two spaces, tabs and the ends of lines', () => `${newName()}  a\tb\r\nc\nd`],
  ['invisible', 'keeps characters that nobody sees', () => `${newName()} \u200ba\u200d\ufe0f\ufeff\u00ad\u0001\u202e`],
  ['unnormalised', 'is not normalised', () => `${newName()} e\u0301 \u00e9 \ufb01`],
]
/** End of the id, words, and the text as it stands in JSON. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['too-long', 'of 256 characters', `"${'a'.repeat(256)}"`],
  ['empty', 'that is empty', '""'],
  ['blank', 'of white space', '" \\t\\u3000"'],
  ['nul', 'with U+0000', '"a\\u0000b"'],
  ['surrogate', 'with a lone surrogate', '"\\ud800"'],
]

/** Rows of the operation's field of free text. */
export function textRows(
  { level, id, invalid, refused: first, text, body, send }: BodyFamily,
  source: string,
): PromiseRow[] {
  const row = rowsOf(level)
  const taken = TAKEN.map(([end, words, value]) => {
    const check: Check = async (probe) => {
      const sent = value()
      const answer = (await send(probe, await body(probe, { [text]: sent }))).expectStatus(201)
      answer.expectMember(answer.object(), text, sent)
    }
    return row(`${id}.${text}.${end}`, `A ${text} ${words}.`)
      .from(source, writing(`${id}.${text}`))
      .check(check)
  })
  const refused = REFUSED.map(([end, words, value]) => {
    const check: Check = async (probe) => {
      const json = await body(probe, { [text]: 'TEXT' })
      ;(
        await send(
          probe,
          json.replace('"TEXT"', () => value),
        )
      ).expectError(400, invalid)
    }
    return row(`${id}.${text}.${end}`, `A ${text} ${words}: 400 ${invalid}.`)
      .from(source, writing(`${id}.${first}`))
      .check(check)
  })
  return [...taken, ...refused]
}
