// Tables for people: times, and columns aligned by their width in a terminal, where a wide character counts as two.

import { printable } from '../observability/printable.ts'
import { io } from '../system/io.ts'
import type { Line, Style } from './print.ts'

const GAP = '  '
/** What people have written. At a terminal these columns are cut until the table fits, and no others. */
const FREE_TEXT = ['NAME', 'REFERENCE', 'PROMISE']
/** No column is made narrower than this. */
const WIDTH_MIN = 8
/** Left out where the terminal is too narrow for it. */
const OPTIONAL = 'CREATED'

const STATUS = 'STATUS'
/** Of pets and of orders. */
const STATUS_STYLES: ReadonlyMap<string, Style> = new Map([
  ['available', 'green'],
  ['pending', 'yellow'],
  ['sold', 'cyan'],
  ['completed', 'cyan'],
  ['cancelled', 'dim'],
  ['expired', 'dim'],
  ['returned', 'dim'],
])

type Row = readonly string[]

/** How rows are shown: where the columns do not fit the terminal, each row as lines of its own. */
export interface Columns {
  head: Line[]
  lines(rows: readonly Row[]): Line[]
}

export function table(head: Row, rows: readonly Row[]): Line[] {
  const columns = columnsFor(head, rows)
  return [...columns.head, ...columns.lines(rows)]
}

/** Columns as wide as these rows need. A cell of other rows is cut in a column of free text, and in any other moves its row. */
export function columnsFor(head: Row, rows: readonly Row[]): Columns {
  const shown = [head, ...rows.map((row) => row.map(printable))]
  const widths = head.map((_, column) => Math.max(...shown.map((row) => Bun.stringWidth(row[column] ?? ''))))
  const without = head.indexOf(OPTIONAL)
  const fit = fitted(head, widths) ?? fitted(head, without < 0 ? widths : widths.with(without, 0))
  if (!fit) {
    let before: Line[] = []
    const block = (row: Row) => {
      const lines = [...before, ...fields(head.map((name, column) => [name, row[column] ?? '']))]
      before = ['']
      return lines
    }
    return { head: [], lines: (some) => some.flatMap(block) }
  }
  const padded = (row: Row, from: number, to?: number) =>
    fit
      .slice(from, to)
      .flatMap((width, n) => (width ? pad(printable(row[from + n] ?? ''), width, isFree(head, from + n)) + GAP : []))
      .join('')
  const status = Math.max(0, head.indexOf(STATUS))
  const line = (row: Row): Line => {
    const value = row[status] ?? ''
    return statusLine(padded(row, 0, status), value, padded(row, status).slice(value.length).trimEnd())
  }
  return { head: [{ style: 'bold', lead: padded(head, 0).trimEnd() }], lines: (some) => some.map(line) }
}

/** A line with a status in its colour. */
export function statusLine(before: string, status: string, rest = ''): Line {
  const style = STATUS_STYLES.get(status)
  return style ? { before, style, lead: status, rest } : before + status + rest
}

/** One thing in full, a line for each of its fields that has a value. */
export function fields(all: readonly (readonly [name: string, value: string])[]): Line[] {
  const given = all.filter(([, value]) => value !== '')
  const width = Math.max(...given.map(([name]) => name.length)) + GAP.length
  const { isTTY, columns } = io().stdout
  return given.flatMap(([name, value], index): Line[] => {
    const text = printable(value)
    const [first, ...more] =
      isTTY && columns ? Bun.wrapAnsi(text, columns - width, { hard: true, trim: false }).split(/ *\n/) : [text]
    const lead = name.padEnd(width)
    const line = name === STATUS ? statusLine(lead, `${first}`) : lead + first
    return [index === 0 ? { style: 'bold', lead: lead + first } : line, ...more.map((each) => ' '.repeat(width) + each)]
  })
}

function isFree(head: Row, column: number): boolean {
  return io().stdout.isTTY === true && FREE_TEXT.includes(head[column] ?? '')
}

/** `undefined` when they do not fit. A column of the width 0 is left out. */
function fitted(head: Row, widths: readonly number[]): number[] | undefined {
  const fit = [...widths]
  const { isTTY, columns } = io().stdout
  const needed = () => fit.reduce((sum, width) => sum + width + (width && GAP.length), -GAP.length)
  for (let excess = isTTY && columns ? needed() - columns : 0; excess > 0; excess--) {
    const free = fit.map((width, column) => (isFree(head, column) && width > WIDTH_MIN ? width : 0))
    const widest = free.indexOf(Math.max(...free))
    if (!free[widest]) return undefined
    fit[widest] = free[widest] - 1
  }
  return fit
}

function pad(cell: string, width: number, mayCut: boolean): string {
  const text = mayCut && Bun.stringWidth(cell) > width ? cut(cell, width) : cell
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
}

/** The slice may be one column too wide: it contains the whole of a wide character at its end. */
function cut(text: string, width: number): string {
  const start = Bun.sliceAnsi(text, 0, width - 1)
  return `${Bun.stringWidth(start) < width ? start : Bun.sliceAnsi(text, 0, width - 2)}…`
}

/** A time as tables show it: UTC, to the minute. */
export function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`
}
