// The report files of `petstore verify`: JUnit XML, one web page, and Markdown. All text from servers is escaped.

import { printable } from '../../../service/src/observability/printable.ts'
import { plural } from '../../../service/src/terminal/print.ts'
import type { Result } from '../examination.ts'
import { countsOf, type Summary } from './report.ts'

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

/** Renders the Markdown report, whose escaping and fences also make the page safe. */
export function htmlReport(summary: Summary): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>petstore verify ${escaped(summary.target)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2126 }
pre { background: #f2f3f5; padding: .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
td, th { text-align: left; padding: .15rem .8rem .15rem 0 }
</style>
${Bun.markdown.html(markdownReport(summary))}</html>
`
}

export function markdownReport(summary: Summary): string {
  const broken = summary.results.filter((result) => result.outcome === 'broken')
  const others = Map.groupBy(
    summary.results.filter(({ outcome }) => outcome !== 'broken'),
    (result) => (result.outcome === 'not_checked' ? `Not checked: ${result.reason}` : 'Held:'),
  )
  const kept = summary.tooFew ?? 'every promise that was checked is kept'
  const lines = [
    `### petstore verify: ${broken.length === 0 ? kept : plural(broken.length, 'broken promise')}`,
    fenced(summary.target),
    '| Level | Held | Broken | Not checked |\n|---|---|---|---|',
    ...countsOf(summary).map((row) => `| ${row.join(' | ')} |`),
    ...broken.map(
      ({ id, promise, source, expected, actual, curl }) =>
        `\n**\`${id}\`** ${escaped(promise)}\n${fenced(source, `expected  ${expected}`, `actual    ${actual}`, curl)}`,
    ),
    '\n<details><summary>The other promises</summary>\n',
    ...[...others].map(([heading, all]) => fenced(heading, all.map(({ id }) => id).join(' '))),
    '</details>\n',
  ]
  return lines.join('\n')
}

/** Returns the text between fences that it does not contain, so that it is neither markup nor an @mention. */
function fenced(...lines: string[]): string {
  const text = lines.map(printable).join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n${fence}text\n${text}\n${fence}\n`
}

/** Escapes text and attributes of XML and HTML. XML 1.0 allows no control characters. */
function escaped(text: string): string {
  return Bun.escapeHTML(printable(text.replaceAll(/[\ufffe\uffff]/g, '\ufffd')).toWellFormed())
}
