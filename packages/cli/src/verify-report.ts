// The reports of `petstore verify`: the text that it prints, and a file of JUnit XML. All text from servers is escaped.

import { printable } from '../../service/src/system/io.ts'
import type { Result } from '../../verify/src/examination.ts'
import type { Level, PromiseRow } from '../../verify/src/promises/shared/promise.ts'
import { type Line, plural } from './terminal/print.ts'
import { table } from './terminal/table.ts'

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

export function junitReport({ target, results }: Summary): string {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const counts = `tests="${results.length}" failures="${count('broken')}" errors="0" skipped="${count('not_checked')}"`
  const cases = results.map((result) => {
    const name = `classname="petstore.${result.level}" name="${escaped(result.id)}"`
    return `    <testcase ${name}${result.outcome === 'held' ? '/>' : `>${inside(result)}</testcase>`}\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="petstore verify ${escaped(target)}" ${counts}>
${cases.join('')}  </testsuite>
</testsuites>
`
}

function inside(result: Result): string {
  if (result.outcome === 'not_checked') return `<skipped message="${escaped(result.reason)}"/>`
  if (result.outcome === 'held') return ''
  const { promise, source, expected, actual, curl } = result
  const lines = [promise, source, `expected: ${expected}`, `actual: ${actual}`, curl].map(escaped)
  return `<failure message="${escaped(`expected ${expected}, but got ${actual}`)}">${lines.join('\n')}</failure>`
}

/** Escapes text and attributes. XML 1.0 allows no control characters. */
function escaped(text: string): string {
  return Bun.escapeHTML(printable(text.replaceAll(/[\ufffe\uffff]/g, '\ufffd')).toWellFormed())
}
