// Rows about the free text in `name` and `reference`: accepted text is returned exactly.

import { TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { newName } from '../../fixtures.ts'
import type { BodyFamily, PromiseRow } from './promise.ts'
import { familyOf, writing } from './rows.ts'

const taken = () => [
  '🐶'.repeat(TEXT_LENGTH_MAX),
  ` ${newName()} `,
  `${newName()}  a\tb\r\nc\nd\u00a0e\u2003f\u3000g\u2028h\u0085i\vj\fk`,
  `${newName()} \u200ba\u200d\ufe0f\ufeff\u00ad\u0001\u202e`,
  `${newName()} e\u0301 \u00e9 \ufb01`,
]
/** Rows for the operation's free text field. */
export function textRows(
  { id, text, body, send }: BodyFamily,
  source: readonly string[],
  premises: string,
): PromiseRow[] {
  const { row } = familyOf(id)
  return [
    row(
      `${id}.${text}.exact`,
      `A ${text} of up to ${TEXT_LENGTH_MAX} code points is returned exactly, even spaces and invisible characters.`,
    )
      .from(source, writing(premises))
      .check(async (probe) => {
        for (const sent of taken())
          (await send(probe, await body(probe, { [text]: sent }))).expectStatus(201).expectMember(text, sent)
      }),
  ]
}
