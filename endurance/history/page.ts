// A page that shows the history around each fault: what was asked at the same time, and the commits between which the answer had to fit.

import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fault } from './checker.ts'
import type { Operation } from './operations.ts'
import type { Piece } from './record.ts'
import type { Kind } from './sites.ts'

const FAULTS_MAX = 20
const NEAR_MS = 50
const OPERATIONS_MAX = 60
const NEAR_VERSIONS = 5
const TEXT_MAX = 400

/** Resolves to the path of the page. */
export function writePage(kind: Kind, { seed, operations, versions, faults }: Piece): string {
  const path = join(tmpdir(), `petstore-history-${kind}-${seed}-${Date.now()}.html`)
  const sections = faults.slice(0, FAULTS_MAX).map((fault) => {
    const [from, to] = fault.between ?? [0, 0]
    const events = versions.events.slice(Math.max(0, from - NEAR_VERSIONS), to + NEAR_VERSIONS)
    const commits = events.map((event) => row([versions.events.indexOf(event) + 1, JSON.stringify(event)]))
    return `<h2>${escaped(fault.reason)}</h2>
<table><tr><th>#<th>client<th>server<th>from<th>to<th>asked<th>answered</tr>
${near(fault, operations)
  .map((one) => operationRow(one, one === fault.operation))
  .join('\n')}
</table>
<h3>Commits around versions ${from} to ${to}</h3>
<table>${commits.join('\n')}</table>`
  })
  const style =
    'td,th{border:1px solid #ccc;padding:2px 6px;text-align:left;font:12px monospace}.fault{background:#fdd}'
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><title>History ${seed}</title><style>${style}</style>
<h1>${faults.length} faults, ${kind}, seed ${seed}</h1>
${sections.join('\n')}
`,
  )
  return path
}

/** Those that were under way at the same time, or shortly before or after. */
function near({ operation }: Fault, operations: readonly Operation[]): Operation[] {
  if (!operation) return []
  const [from, to] = [operation.startedAt - NEAR_MS, Math.min(operation.endedAt, operation.startedAt + 1000) + NEAR_MS]
  const all = operations.filter(({ startedAt, endedAt }) => startedAt <= to && endedAt >= from)
  const others = all.filter((one) => one !== operation).slice(0, OPERATIONS_MAX)
  return [operation, ...others].sort((one, other) => one.startedAt - other.startedAt)
}

function operationRow(operation: Operation, isFault: boolean): string {
  const { n, client, server, startedAt, endedAt, line, status, text } = operation
  const to = Number.isFinite(endedAt) ? endedAt.toFixed(1) : 'never'
  return row([n, client, server, startedAt.toFixed(1), to, line, `${status} ${text}`], isFault ? ' class="fault"' : '')
}

function row(cells: readonly (string | number)[], attributes = ''): string {
  return `<tr${attributes}>${cells.map((cell) => `<td>${escaped(`${cell}`.slice(0, TEXT_MAX))}`).join('')}</tr>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
