// Writes the results as a section of docs/performance.md.

import { each, median, number, type Run } from './figures.ts'
import { type Result, toFloor } from './rows.ts'

const SECTION = /^## What one server does\n[\s\S]*?(?=^## )/m
const PEERS = ['floor', 'nginx', 'Fastify']
const HEAD = ['', 'petstore, a second', ...PEERS, 'p50 ms', 'p99 ms', 'CPU µs']

/** Returns docs/performance.md with these results. Throws an Error if its section is missing. */
export function summarized(before: string, circumstances: string, results: readonly Result[]): string {
  if (!SECTION.test(before)) throw new Error('docs/performance.md has no section "What one server does".')
  return before.replace(SECTION, () => `## What one server does\n\n${circumstances}\n\n${table(results)}\n`)
}

/** Returns the medians of each row, and the missed targets. */
export function table(results: readonly Result[]): string {
  const rows = results.map(({ title, figures }) => {
    const value = (name: string, kind: keyof Run) =>
      figures.some((one) => one.name === name) ? number(median(each(figures, name, kind))) : ''
    const others = (['p50Ms', 'p99Ms', 'cpuUs'] as const).map((kind) => value('petstore', kind))
    return [title, value('petstore', 'perSecond'), ...PEERS.map((peer) => value(peer, 'perSecond')), ...others]
  })
  const lines = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const missed = results.flatMap(({ work, share, figures, isMissed }) =>
    isMissed ? `${work} ${toFloor(figures).median.toFixed(2)} instead of ${share}` : [],
  )
  const targets = results.filter(({ share }) => share !== undefined).length
  return `${lines.join('\n')}\n\nOf ${targets} targets, which are shares of the floor, missed: ${missed.join(', ') || 'none'}.\n`
}
