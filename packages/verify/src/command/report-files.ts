// The report file of `petstore verify`: JUnit XML. All text from servers is escaped.

import { printable } from '../../../service/src/observability/printable.ts'
import type { Result } from '../examination.ts'
import type { Summary } from './report.ts'

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
