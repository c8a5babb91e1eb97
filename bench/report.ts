// The results of the rows as text: docs/performance.md, or some of its sections.

import type { Run } from './load.ts'
import { each, type Figure, type Measured, type Target } from './results.ts'
import { median, ratio, type Summary, summary } from './statistics.ts'

export interface Result extends Measured {
  title: string
}

/** `circumstances`: machine, programs, date, commit and pace. */
export function markdown(circumstances: string, results: readonly Result[]): string {
  return `# Performance

\`npm run bench\` writes this page. ${circumstances}

The server runs on one core and the load generator (\`wrk\`, 64 connections) on another. The servers of a row start together on
the same pets and are warmed up while the status of every answer is checked; a wrong answer or a failed connection stops the
row. Each round then measures all contenders in turn. Rates and latencies are medians over the rounds. Ratios are taken round
by round, and the table shows their median. The lowest and the highest value are in parentheses.

- **petstore** is the service with its defaults: keys checked at every request, changes logged, no answer older than the store.
- **floor** is \`Bun.serve\` with the same headers and bytes. It compares the key, and parses the body of a POST, but stores nothing.
- **nginx** checks a fixed key and sends the same headers and bytes from its configuration, with one worker.
- **Fastify** is Fastify 5 with JSON Schema and \`node:sqlite\`, prepared statements, WAL and \`synchronous=FULL\`.

"busy" is the share of its core that the server used: well under 100 %, the disk or the load generator was the limit. "CPU" is
the server's processor time for one answer.

${sections(results)}`
}

/** All targets, then a section for each row. */
export function sections(results: readonly Result[]): string {
  const targets = results.flatMap(({ title, targets }) => targets.map((one) => [title, one.wanted, reached(one)]))
  const rows = results.map(({ title, figures, remark }) => {
    const head = ['', 'answers a second', 'p50 ms', 'p99 ms', 'busy', 'CPU µs', `${figures[0]?.name} ÷ this`]
    const lines = figures.map(({ name }) => figureLine(figures, name))
    return `## ${title}\n\n${remark ? `${remark}\n\n` : ''}${table(head, lines)}\n`
  })
  return `## Targets\n\n${table(['Work', 'Target', 'Reached'], targets)}\n\n${rows.join('\n')}`
}

function reached({ median, min, max, unit, met }: Target): string {
  return `${number(median)} ${unit} ${range({ min, max }, number)}${met ? '' : ' **missed**'}`
}

function figureLine(figures: readonly Figure[], name: string): string[] {
  const values = (kind: keyof Run) => each(figures, name, kind)
  const middle = (kind: keyof Run) => median(values(kind))
  const rate = summary(values('perSecond'))
  const times = ratio(each(figures, (figures[0] as Figure).name, 'perSecond'), values('perSecond'))
  return [
    name,
    `${whole(rate.median)} ${range(rate, whole)}`,
    middle('p50Ms').toFixed(2),
    middle('p99Ms').toFixed(2),
    `${Math.round(middle('busy') * 100)} %`,
    middle('cpuUs').toFixed(1),
    `${times.median.toFixed(2)} × ${range(times, (value) => value.toFixed(2))}`,
  ]
}

function range({ min, max }: Omit<Summary, 'median'>, format: (value: number) => string): string {
  return `(${format(min)} to ${format(max)})`
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}

/** Three significant digits. */
function number(value: number): string {
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2)
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
