// The results as text: all on the screen, and the first section of docs/performance.md, which has the figures that a reader wants.

import { each, median, number, type Run } from './figures.ts'
import { type Result, toFloor } from './rows.ts'

const HEADS: Record<keyof Run, string> = {
  perSecond: 'a second',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  busy: 'busy',
  cpuUs: 'CPU µs',
  residentMB: 'MB',
}
const KINDS = Object.keys(HEADS) as (keyof Run)[]
const SUMMARY = /^## What one server does\n[\s\S]*?(?=^## )/m
const PEERS = ['floor', 'nginx', 'Fastify']

/** docs/performance.md with these results. Throws an Error where it has no section for them. */
export function summarized(before: string, heading: string, circumstances: string, results: readonly Result[]): string {
  if (!SUMMARY.test(before)) throw new Error('docs/performance.md has no section "What one server does".')
  const lines = results.map(({ title, figures }) => {
    const value = (name: string, kind: keyof Run) =>
      figures.some((one) => one.name === name) ? number(median(each(figures, name, kind))) : ''
    const others = (['p50Ms', 'p99Ms', 'cpuUs'] as const).map((kind) => value('petstore', kind))
    return [title, value('petstore', 'perSecond'), ...PEERS.map((peer) => value(peer, 'perSecond')), ...others]
  })
  const head = ['', 'petstore, a second', ...PEERS, HEADS.p50Ms, HEADS.p99Ms, HEADS.cpuUs]
  const section = `${heading}.\n${circumstances}\n\n${table(head, lines)}\n\n${missed(results)}\n\n`
  return before.replace(SUMMARY, () => `## What one server does\n\n${section}`)
}

function missed(results: readonly Result[]): string {
  const targets = results.filter(({ share }) => share !== undefined)
  const shown = targets
    .filter(({ isMissed }) => isMissed)
    .map(({ work, share, figures }) => {
      return `${work} ${toFloor(figures).median.toFixed(2)} instead of ${share}`
    })
  return `Of ${targets.length} targets, which are shares of the floor, missed: ${shown.join(', ') || 'none'}.`
}

/** The figures of each row, and which targets were missed. */
export function sections(results: readonly Result[]): string {
  const rows = results.map(({ title, remark, figures }) => {
    const lines = figures.map(({ name }) => [name, ...KINDS.map((kind) => number(median(each(figures, name, kind))))])
    return `${title}. ${remark}\n\n${table(['', ...KINDS.map((kind) => HEADS[kind])], lines)}\n`
  })
  return `${rows.join('\n')}\n${missed(results)}\n`
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}
