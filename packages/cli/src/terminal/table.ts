// Tables for people, aligned by display width, where wide characters take two columns.

import type { OrderStatus, PetStatus } from '../../../contract/src/generated.ts'
import { io } from '../../../service/src/system/io.ts'
import { printable } from '../../../service/src/system/terminal.ts'
import type { Line, Style } from './print.ts'

const GAP = '  '
/** Columns with free text. If a table is wider than the terminal, these shrink, the last one first. */
const FREE_TEXT = ['NAME', 'REFERENCE', 'PROMISE']
const FREE_TEXT_WIDTH_MIN = 9

const STATUS = 'STATUS'
const STYLES: Record<PetStatus | OrderStatus, Style> = {
  available: 'green',
  pending: 'yellow',
  sold: 'cyan',
  completed: 'cyan',
  cancelled: 'dim',
  expired: 'dim',
  returned: 'dim',
}
const STATUS_STYLES: ReadonlyMap<string, Style> = new Map(Object.entries(STYLES))

type TableLine = readonly string[]

/** A table, row by row. */
export interface TableLayout {
  head: Line
  line(row: TableLine): Line
}

export function table(head: TableLine, rows: readonly TableLine[]): Line[] {
  const columns = columnsFor(head, rows)
  return [columns.head, ...rows.map(columns.line)]
}

/**
 * Computes column widths from these rows. Longer cells in other rows shift the cells after them. A terminal gets
 * truncated lines.
 */
export function columnsFor(head: TableLine, rows: readonly TableLine[]): TableLayout {
  const { isTTY, columns } = io().stdout
  const room = (isTTY && columns) || Number.POSITIVE_INFINITY
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => Bun.stringWidth(printable(row[n] ?? '')))))
  const limits = widths.map(() => room)
  let spare = room - widths.reduce((sum, width) => sum + GAP.length + width, -GAP.length)
  for (const [n, width] of [...widths.entries()].reverse()) {
    if (!FREE_TEXT.includes(head[n] ?? '')) continue
    limits[n] = Math.max(FREE_TEXT_WIDTH_MIN, width + spare)
    widths[n] = Math.min(width, limits[n])
    spare += width - widths[n]
  }
  const cellsOf = (row: TableLine) =>
    row.map((cell, n) => padded(cut(printable(cell), limits[n] ?? room), widths[n] ?? 0))
  const status = Math.max(0, head.indexOf(STATUS))
  const line = (row: TableLine): Line => {
    const cells = cellsOf(row)
    const text = cut(cells.join('').trimEnd(), room)
    const start = cells.slice(0, status).join('').length
    const end = start + (row[status] ?? '').length
    return statusLine(text.slice(0, start), text.slice(start, end), text.slice(end))
  }
  return { head: { style: 'bold', lead: cut(cellsOf(head).join('').trimEnd(), room) }, line }
}

/** Returns a line with the status in its colour. */
export function statusLine(before: string, status: string, rest = ''): Line {
  const style = STATUS_STYLES.get(status)
  return style ? { before, style, lead: status, rest } : before + status + rest
}

/** Returns one line for each field that has a value. */
export function fields(all: readonly (readonly [name: string, value: string])[]): Line[] {
  const given = all.filter(([, value]) => value !== '')
  const width = Math.max(...given.map(([name]) => name.length))
  return given.map(([name, value], index) => {
    const lead = padded(name, width)
    if (index === 0) return { style: 'bold', lead: lead + value }
    return name === STATUS ? statusLine(lead, value) : lead + value
  })
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text))) + GAP
}

/** `sliceAnsi` includes a wide character at the end, so the slice can be one column too wide. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  const start = Bun.sliceAnsi(text, 0, width - 1)
  return `${Bun.stringWidth(start) < width ? start : Bun.sliceAnsi(text, 0, width - 2)}…`
}

/** Formats a time in UTC, to the minute. */
export function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`
}
