// The results of all machines → docs/performance.md and its charts. The same results always give the same files.

import { type Bar, barChart, lineChart } from '../scripts/plots.ts'
import type { FigureResult, Results, Target } from './results.ts'
import { FLOOR_MOVE_MAX } from './rounds.ts'
import type { Row } from './rows.ts'
import type { Summary } from './statistics.ts'

type Titled = Pick<Row, 'name' | 'title'>

/** File name → SVG, for docs/performance/: one chart for each row that measured rates. */
export function plots(machines: readonly Results[], rows: readonly Titled[]): Record<string, string> {
  const files: Record<string, string> = {}
  for (const row of rows) {
    const bars = found(machines, row).flatMap(({ machine, figures }) => {
      return figures.map(({ name, perSecond: { median, min, max } }): Bar => {
        return { label: machines.length > 1 ? `${name}, ${machine}` : name, value: median, low: min, high: max }
      })
    })
    if (bars.length === 0) continue
    files[`${row.name}.svg`] =
      row.name === 'growth' ? growthChart(row, bars) : barChart(row.title, 'answers a second', bars)
  }
  return files
}

/** The labels are `WORK at 10^N`, or `WORK at 10^N, MACHINE`: one line for each work and machine. */
function growthChart({ title }: Titled, bars: readonly Bar[]): string {
  const lines = Map.groupBy(bars, ({ label }) => label.replace(/ at 10\^\d+/, ''))
  const drawn = [...lines].map(([label, all]) => {
    return {
      label,
      points: all.map(({ label, value }) => ({ x: 10 ** Number(/10\^(\d+)/.exec(label)?.[1]), y: value })),
    }
  })
  return lineChart(title, 'answers a second, by the number of pets', drawn, 'logarithmic')
}

export function markdown(machines: readonly Results[], rows: readonly Titled[]): string {
  return `# Performance

\`npm run bench\` wrote this page from the results beside its charts, one JSON file for each machine.

${machines.map(describedMachine).join('\n')}

The server runs on one core and the load generator (\`wrk\`, 64 connections) on another. The servers of a row start together on
the same pets and are warmed up while the status of every answer is checked; a wrong answer or a failed connection stops the
row. Each round then measures all contenders in turn. Rates and latencies are medians over the rounds. Ratios are taken round
by round, and the table shows their median. The lowest and the highest value are in parentheses. A row whose floor moves by
more than ${FLOOR_MOVE_MAX * 100} % is measured again, three times at most.

- **petstore** is the service with its defaults: keys checked at every request, creates logged, no answer older than the store.
- **floor** is \`Bun.serve\` with the same headers and bytes. It compares the key, and parses the body of a POST, but stores nothing.
- **nginx** checks a fixed key and sends the same headers and bytes from its configuration, with one worker.
- **Fastify** is Fastify 5 with JSON Schema and \`node:sqlite\`, prepared statements, WAL and \`synchronous=FULL\`.

"busy" is the share of its core that the server used: well under 100 %, the disk or the load generator was the limit. "CPU" is
the server's processor time for one answer.

## Targets

${targetsTable(machines, rows)}

${rows.flatMap((row) => section(machines, row)).join('\n')}`
}

/** All targets, with a column for each machine. */
export function targetsTable(machines: readonly Results[], rows: readonly Titled[]): string {
  const lines = rows.flatMap((row) => {
    const wanted = new Set(found(machines, row).flatMap(({ targets }) => targets.map((target) => target.wanted)))
    return [...wanted].map((text) => {
      const cells = machines.map((machine) => {
        const all = found([machine], row).flatMap(({ targets }) => targets)
        return all.filter((target) => target.wanted === text).map(reached)
      })
      return [row.title, text, ...cells.map(String)]
    })
  })
  return table(['Work', 'Target', ...machines.map(({ machine }) => machine)], lines)
}

function reached({ median, min, max, unit, met }: Target): string {
  const spread = min === max ? '' : ` ${range({ min, max }, number)}`
  return `${number(median)} ${unit}${spread}${met ? '' : ' **missed**'}`
}

function section(machines: readonly Results[], row: Titled): string[] {
  const results = found(machines, row)
  if (results.length === 0) return []
  const hasRates = results.some(({ figures }) => figures.length > 0)
  const parts = results.flatMap(({ machine, date, commit, rounds, seconds, remark = '', figures }) => {
    const circumstances = `${machine}, ${date}, commit ${commit}, ${rounds} rounds of ${seconds} s. ${remark}`.trim()
    const head = ['', 'answers a second', 'p50 ms', 'p99 ms', 'busy', 'CPU µs', `${figures[0]?.name} ÷ this`]
    return [`${circumstances}\n`, ...(figures.length > 0 ? [`${table(head, figures.map(rateLine))}\n`] : [])]
  })
  return [`## ${row.title}\n`, ...(hasRates ? [`![Answers a second](performance/${row.name}.svg)\n`] : []), ...parts]
}

function rateLine({ name, perSecond, p50Ms, p99Ms, busy, cpuUs, ratio }: FigureResult): string[] {
  const rate = `${whole(perSecond.median)} ${range(perSecond, whole)}`
  const times = `${ratio.median.toFixed(2)} × ${range(ratio, (value) => value.toFixed(2))}`
  return [name, rate, p50Ms.toFixed(2), p99Ms.toFixed(2), `${Math.round(busy * 100)} %`, cpuUs.toFixed(1), times]
}

function describedMachine({ machine, description, versions }: Results): string {
  const all = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `- **${machine}**: ${description}. ${all.join(', ')}.`
}

/** The row's result of each machine that has one. */
function found(machines: readonly Results[], { name }: Titled) {
  return machines.flatMap(({ machine, rows }) => {
    return rows.filter(({ row }) => row === name).map((result) => ({ ...result, machine }))
  })
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
