// The results as text: some rows on the screen; bench/results.md, which has every figure, in a section for each machine; and the
// first section of docs/performance.md, which has the figures that a reader wants first.

import { each, type Figure, median, number, type Run, reach, type Summary, summary } from './figures.ts'
import type { Result } from './rows.ts'

const HEADS: Record<keyof Run, string> = {
  perSecond: 'answers a second',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  busy: 'busy',
  cpuUs: 'CPU µs',
  startMs: 'first answer, ms',
  residentMB: 'MB',
}

const SUMMARY = /^## What one server does\n[\s\S]*?(?=^## )/m
const PEERS = ['floor', 'nginx', 'Fastify']

/** docs/performance.md with these results. Throws an Error where it has no section for them. */
export function summarized(before: string, heading: string, circumstances: string, results: readonly Result[]): string {
  if (!SUMMARY.test(before)) throw new Error('docs/performance.md has no section "What one server does".')
  const targets = results.flatMap(({ targets }) => targets).filter(({ target }) => /[≥≤]/.test(target))
  const met = targets.filter((target) => target.met).length
  const figures = `${met} of ${targets.length} targets were reached; \`bench/results.md\` has all figures.`
  const section = `${heading}.\n${circumstances}\n\n${headlineTable(results)}\n\n${figures}\n\n`
  return before.replace(SUMMARY, () => `## What one server does\n\n${section}`)
}

function headlineTable(results: readonly Result[]): string {
  const lines = results.flatMap(({ headlines = {}, figures }) => {
    const value = (name: string, kind: keyof Run) => number(median(each(figures, name, kind)))
    const peers = PEERS.map((peer) => (figures.some(({ name }) => name === peer) ? value(peer, 'perSecond') : ''))
    return Object.entries(headlines).map(([name, words]) => {
      return [
        words,
        value(name, 'perSecond'),
        ...peers,
        value(name, 'p50Ms'),
        value(name, 'p99Ms'),
        value(name, 'cpuUs'),
      ]
    })
  })
  return table(['', 'petstore, a second', ...PEERS, HEADS.p50Ms, HEADS.p99Ms, HEADS.cpuUs], lines)
}

/** The page of all figures, in which the section of this machine is new. `heading`: the machine and the date, after a comma. */
export function page(before: string, heading: string, circumstances: string, results: readonly Result[]): string {
  const machine = heading.slice(0, heading.lastIndexOf(', '))
  const [introduction = '', ...machines] = before.split(/^(?=## )/m)
  const others = machines.filter((section) => !section.startsWith(`## ${machine}, `))
  const own = `## ${heading}\n\n${circumstances}\n\n${sections(results)}`
  return [introduction, own, ...others].map((text) => `${text.trimEnd()}\n`).join('\n')
}

/** All targets, then the figures of each row. */
export function sections(results: readonly Result[]): string {
  const targets = results.flatMap(({ title, targets }) => {
    return targets.map(({ target, unit, met, byProcessorTime, ...summary }) => {
      const aside = byProcessorTime === undefined ? '' : `, by processor time ${number(byProcessorTime)} ×`
      return [title, target, `${shown(summary, unit)}${aside}${met ? '' : ' **missed**'}`]
    })
  })
  const rows = results.map(({ title, remark, figures }) => {
    return `### ${title}\n\n${remark && `${remark}\n\n`}${figureTable(figures)}\n`
  })
  return `### Targets\n\n${table(['Work', 'Target', 'Reached'], targets)}\n\n${rows.join('\n')}`
}

/** Where there is a floor, the last column holds the ratios to it. */
function figureTable(figures: readonly Figure[]): string {
  const [first, ...others] = Object.keys(figures[0]?.runs[0] ?? {}) as [keyof Run]
  const floor = figures.some(({ name }) => name === 'floor')
  const lines = figures.map(({ name }) => [
    name,
    shown(summary(each(figures, name, first))),
    ...others.map((kind) => number(median(each(figures, name, kind)))),
    ...(floor ? [shown(reach(`${name} ÷ floor`, figures))] : []),
  ])
  return table(['', ...[first, ...others].map((kind) => HEADS[kind]), ...(floor ? ['× floor'] : [])], lines)
}

function shown({ median, min, max }: Summary, unit = ''): string {
  return `${number(median)}${unit && ` ${unit}`} (${number(min)} to ${number(max)})`
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}
