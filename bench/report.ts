// Results → docs/performance.md, the plots beside it and the table on the screen. A pure function of the results: the
// same numbers always give the same files.

import { barChart, lineChart } from '../scripts/plots.ts'
import {
  type Figure,
  p50Ms,
  p99Ms,
  perSecond,
  type Results,
  type RowResult,
  rateRatio,
  type Target,
} from './results.ts'
import { median } from './statistics.ts'

export const RESULTS_FILE = 'results.json'

/** File name → text, for docs/performance/; the report itself stands beside that folder as performance.md. */
export function plots({ rows }: Results): Record<string, string> {
  const files: Record<string, string> = {}
  for (const row of rows.filter(({ figures }) => figures.some(({ runs }) => runs.length > 0))) {
    files[`${row.row}.svg`] = row.row === 'growth' ? growthPlot(row) : ratesPlot(row)
  }
  return files
}

export function markdown(results: Results): string {
  const { machine, versions, rows } = results
  return `# Performance

Written by \`npm run bench\`. Every single run: [performance/${RESULTS_FILE}](performance/${RESULTS_FILE}).

**Machine.** ${machine}. The server runs on one core and the load generator (\`wrk\`) on another.

**Versions.** ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.

**Method.** The servers of a row are started together on the same animals and warmed up while the status of every answer
is counted; an answer of another status, or a failed connection, stops the run. Then come the rounds, in each every
contender once. Rates, latencies and ratios are medians over the rounds; a ratio is taken within each round; in
parentheses stand the lowest and the highest. The service runs with its shipped defaults: keys checked at every request,
creates logged, every answer as fresh as a query. "busy" is the share of its core that a server used: well under 100 %,
something else (the disk, or the load generator) was the limit. "CPU" is the server's processor time for one answer.

## Targets

${targetsTable(rows)}

${rows.map(section).join('\n')}`
}

export function targetsTable(rows: readonly RowResult[]): string {
  const lines = rows.flatMap(({ title, targets, skipped }) =>
    skipped === undefined
      ? targets.map((target) => [title, target.says, reached(target), target.met ? 'yes' : '**no**'])
      : [[title, '', `not measured: ${skipped}`, '']],
  )
  return table(['Work', 'Target', 'Reached', 'Met'], lines)
}

function section(row: RowResult): string {
  const { row: name, title, date, commit, rounds, seconds, figures, remark, skipped } = row
  const parts = [`## ${title}\n`]
  if (skipped !== undefined) parts.push(`Not measured: ${skipped}.\n`)
  else parts.push(`${date}, commit ${commit}, ${rounds} rounds of ${seconds} s.${remark ? ` ${remark}` : ''}\n`)
  const rated = figures.filter(({ runs }) => runs.length > 0)
  if (rated.length > 0) {
    parts.push(`![Answers a second](performance/${name}.svg)\n`)
    const head = ['', 'answers a second', 'p50 ms', 'p99 ms', 'busy', 'CPU µs each', `against ${rated[0]?.name}`]
    parts.push(
      `${table(
        head,
        rated.map((figure) => rateLine(figure, row)),
      )}\n`,
    )
  }
  const valued = figures.flatMap(({ name, values = {} }) =>
    Object.entries(values).map(([what, value]) => [name, what, number(value)]),
  )
  if (valued.length > 0) parts.push(`${table(['', 'measured', ''], valued)}\n`)
  return parts.join('\n')
}

function rateLine(figure: Figure, { figures }: RowResult): string[] {
  const rates = figure.runs.map((run) => run.perSecond)
  const busy = figure.runs.reduce((sum, run) => sum + run.serverBusy, 0) / figure.runs.length
  const against = rateRatio(figures, figure.name, (figures[0] as Figure).name)
  return [
    figure.name,
    `${whole(perSecond(figure))} (${whole(Math.min(...rates))} to ${whole(Math.max(...rates))})`,
    p50Ms(figure).toFixed(2),
    p99Ms(figure).toFixed(2),
    `${Math.round(busy * 100)} %`,
    median(figure.runs.map((run) => run.cpuUs)).toFixed(1),
    `${against.median.toFixed(2)} ×`,
  ]
}

function reached({ reached, min, max, unit = '×' }: Target): string {
  const range = min === undefined || max === undefined ? '' : ` (${number(min)} to ${number(max)})`
  return `${number(reached)} ${unit}${range}`
}

function ratesPlot({ title, figures }: RowResult): string {
  const bars = figures.map((figure) => {
    const rates = figure.runs.map((run) => run.perSecond)
    return { label: figure.name, value: perSecond(figure), low: Math.min(...rates), high: Math.max(...rates) }
  })
  return barChart(title, 'answers a second', bars)
}

/** One line for each kind of work; the figures are named `work at size`. */
function growthPlot({ title, figures }: RowResult): string {
  const lines = Map.groupBy(figures, ({ name }) => name.split(' at ')[0] as string)
    .entries()
    .map(([label, all]) => ({
      label,
      points: all.map((figure) => ({ x: 10 ** Number(figure.name.split('^')[1]), y: perSecond(figure) })),
    }))
    .toArray()
  return lineChart(title, 'answers a second', lines, 'logarithmic')
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}

/** Three digits that mean something. */
function number(value: number): string {
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2)
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
