// Writes bench/RESULTS.md.

import { each, median, number, type Run } from './figures.ts'
import { type Result, toFloor } from './rows.ts'

const PEERS = ['floor', 'nginx', 'Fastify']
const HEAD = ['', 'petstore, a second', ...PEERS, 'p50 ms', 'p99 ms', 'CPU µs']

/** Returns the text of bench/RESULTS.md. */
export function resultsPage(circumstances: string, results: readonly Result[]): string {
  return `# Results\n\n${circumstances}\n\n${table(results)}`
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
