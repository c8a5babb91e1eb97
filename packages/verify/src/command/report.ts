// The text that `petstore verify` prints: the list of promises and the result of an examination.

import { type Line, plural } from '../../../service/src/terminal/print.ts'
import { table } from '../../../service/src/terminal/table.ts'
import type { Result } from '../examination.ts'
import type { Level, PromiseRow } from '../promises/shared/promise.ts'

export interface Summary {
  target: string
  levels: readonly Level[]
  results: readonly Result[]
  /** A sentence if too few promises could be checked. */
  tooFew?: string | undefined
}

/** How many ids are shown for one reason. */
const IDS_SHOWN = 5

export function listing(promises: readonly PromiseRow[]): Line[] {
  return table(
    ['ID', 'LEVEL', 'PROMISE'],
    promises.map(({ id, level, promise }) => [id, level, promise]),
  )
}

export function report(summary: Summary): Line[] {
  const { target, results, tooFew } = summary
  const broken = results.filter((result) => result.outcome === 'broken')
  const notChecked = results.filter((result) => result.outcome === 'not_checked')
  const unchecked = Map.groupBy(notChecked, ({ reason }) => reason)
  return [
    ...(tooFew === undefined ? [] : [{ style: 'red', lead: tooFew } as const, '']),
    ...broken.flatMap(brokenLines),
    ...[...unchecked].map(([reason, all]) => `Not checked: ${idsOf(all)}. ${reason}`),
    ...(unchecked.size > 0 ? [''] : []),
    ...table(['LEVEL', 'HELD', 'BROKEN', 'NOT CHECKED'], countsOf(summary)),
    '',
    broken.length === 0
      ? `${target} keeps every promise that was checked${tooFew === undefined ? '' : ', too few to judge it'}.`
      : { style: 'red', lead: `${target} breaks ${plural(broken.length, 'promise')}.` },
  ]
}

/** Returns for each level the numbers of promises that are held, broken and not checked. */
function countsOf({ levels, results }: Summary): string[][] {
  return levels.map((level) => [
    level,
    ...(['held', 'broken', 'not_checked'] as const).map((outcome) =>
      String(results.filter((result) => result.outcome === outcome && result.level === level).length),
    ),
  ])
}

function brokenLines({ id, promise, source, curl, expected, actual }: Extract<Result, { outcome: 'broken' }>): Line[] {
  return [
    { style: 'red', lead: 'broken', rest: `  ${id}` },
    `  ${promise}`,
    `  ${source}`,
    `  expected  ${expected}`,
    `  actual    ${actual}`,
    `  ${curl}`,
    '',
  ]
}

function idsOf(results: readonly Result[]): string {
  const ids = results.slice(0, IDS_SHOWN).map(({ id }) => id)
  const more = results.length - ids.length
  return ids.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
