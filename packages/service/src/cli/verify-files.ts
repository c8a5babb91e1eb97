// The reports of `petstore verify` in files: JUnit's XML for continuous integration, one web page, and Markdown for a pull request. What servers sent
// is escaped.

import type { Result } from '../../../verify/src/examination.ts'
import { printable } from '../observability/printable.ts'
import { plural } from './print.ts'
import { resultsOf, type Summary } from './verify-report.ts'

export function junitReport({ target, results }: Summary): string {
  const count = (outcome: Result['outcome']) => resultsOf(results, outcome).length
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

export function htmlReport({ target, levels, results }: Summary): string {
  const broken = resultsOf(results, 'broken')
  const head = (['held', 'broken', 'not_checked'] as const)
    .map((outcome) => `${resultsOf(results, outcome).length} ${outcome.replace('_', ' ')}`)
    .join(', ')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>petstore verify ${escaped(target)}</title>
<style>${STYLE}</style>
<h1>${escaped(target)}</h1>
<p>${escaped(levels.join(', '))}: ${head}</p>
${broken.map(brokenSection).join('')}<table>
<tr><th>Promise</th><th>Level</th><th>Outcome</th></tr>
${results.map(tableRow).join('')}</table>
</html>
`
}

export function markdownReport({ target, levels, results }: Summary): string {
  const broken = resultsOf(results, 'broken')
  const unchecked = Map.groupBy(resultsOf(results, 'not_checked'), ({ reason }) => reason)
  const count = (level: string, outcome: Result['outcome']) =>
    resultsOf(results, outcome).filter((result) => result.level === level).length
  const lines = [
    `### petstore verify: ${broken.length === 0 ? 'every promise that was checked is kept' : `${plural(broken.length, 'broken promise')}`}`,
    fenced(target),
    '| Level | Held | Broken | Not checked |\n|---|---|---|---|',
    ...levels.map((level) => `| ${level} | ${OUTCOMES.map((outcome) => count(level, outcome)).join(' | ')} |`),
    ...broken.map(
      ({ id, promise, source, expected, actual, curl }) =>
        `\n**\`${id}\`** ${escaped(promise)}\n${fenced(source, `expected  ${expected}`, `actual    ${actual}`, curl)}`,
    ),
    ...(unchecked.size > 0 ? ['\n<details><summary>Not checked</summary>\n'] : []),
    ...[...unchecked].map(([reason, all]) => fenced(reason, all.map(({ id }) => id).join(' '))),
    ...(unchecked.size > 0 ? ['</details>'] : []),
  ]
  return `${lines.join('\n')}\n`
}

const OUTCOMES = ['held', 'broken', 'not_checked'] as const

/** As it is, between fences that it does not contain: no markup, no mention of anybody. */
function fenced(...lines: string[]): string {
  const text = lines.map(printable).join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n${fence}text\n${text}\n${fence}\n`
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2126 }
h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin: 0 0 .3rem }
section { border-left: 4px solid #c5283d; padding: .2rem 1rem; margin: 1rem 0 }
dl { display: grid; grid-template-columns: 6rem 1fr; margin: .3rem 0 } dd { margin: 0; overflow-wrap: anywhere }
pre { background: #f2f3f5; padding: .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top }
.broken { color: #c5283d; font-weight: 600 } .not_checked { color: #6b7280 }
`

function brokenSection({
  id,
  promise,
  source,
  expected,
  actual,
  curl,
}: ReturnType<typeof resultsOf<'broken'>>[number]): string {
  return `<section>
<h2>${escaped(id)}</h2>
${escaped(promise)} <small>${escaped(source)}</small>
<dl><dt>expected</dt><dd>${escaped(expected)}</dd><dt>actual</dt><dd>${escaped(actual)}</dd></dl>
<pre>${escaped(curl)}</pre>
</section>
`
}

function tableRow(result: Result): string {
  const { id, level, outcome } = result
  const reason = result.outcome === 'not_checked' ? `: ${escaped(result.reason)}` : ''
  return `<tr><td>${escaped(id)}</td><td>${level}</td><td class="${outcome}">${outcome.replace('_', ' ')}${reason}</td></tr>\n`
}

/** For the text and the attributes of XML and HTML; XML 1.0 has no control characters. */
function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  const valid = printable(text)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .toWellFormed()
  return valid.replaceAll(/[&<>"]/g, (character) => names[character] as string)
}
