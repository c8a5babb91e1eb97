// Tables for people, aligned by display width, where wide characters take two columns.

import type { OrderStatus, PetStatus } from '../../../contract/src/generated.ts'
import { io, printable } from '../../../service/src/system/io.ts'
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
  const room = widthMax()
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
    const [before, text] = [cells.slice(0, status).join(''), row[status] ?? '']
    return fittedLine(
      before,
      text,
      cells
        .join('')
        .trimEnd()
        .slice(before.length + text.length),
    )
  }
  return { head: { style: 'bold', lead: cut(cellsOf(head).join('').trimEnd(), room) }, line }
}

function widthMax(): number {
  const { isTTY, columns } = io().stdout
  return (isTTY && columns) || Number.POSITIVE_INFINITY
}

/** Returns a line with the status in its colour, truncated to the width of the terminal. */
export function fittedLine(before: string, status: string, rest: string): Line {
  const text = cut(printable(before + status + rest), widthMax())
  const [start, end] = [before.length, before.length + status.length]
  return statusLine(text.slice(0, start), text.slice(start, end), text.slice(end))
}

/** Returns a line with the status in its colour. */
function statusLine(before: string, status: string, rest = ''): Line {
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

/** Formats a time: at a terminal as local time with its offset (`2026-11-21 10:12+01`), otherwise in UTC. */
export function time(at: number, to: 'minute' | 'second' = 'minute'): string {
  const offset = io().stdout.isTTY ? -new Date(at).getTimezoneOffset() : 0
  const text = new Date(at + offset * 60_000).toISOString().slice(0, to === 'minute' ? 16 : 19)
  const minutes = String(Math.abs(offset % 60)).padStart(2, '0')
  const hours = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0')
  const zone = `${offset < 0 ? '-' : '+'}${hours}${minutes === '00' ? '' : `:${minutes}`}`
  return text.replace('T', ' ') + (offset === 0 ? 'Z' : zone)
}

/** Formats a time at a terminal, and returns it unchanged for programs. */
export function exactTime(at = ''): string {
  return at !== '' && io().stdout.isTTY ? time(Date.parse(at), 'second') : at
}
