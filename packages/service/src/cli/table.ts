// Tables for people: times, and columns aligned by their width in a terminal, where a wide character counts as two.

import { printable } from '../observability/printable.ts'
import type { Line } from './print.ts'

const GAP = '  '
/** What people have written. At a terminal these columns are cut until the table fits, and no others. */
const FREE_TEXT = ['NAME', 'REFERENCE', 'PROMISE']
/** No column is made narrower than this. */
const WIDTH_MIN = 8
/** Left out where the terminal is too narrow for it. */
const OPTIONAL = 'CREATED'

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
  const line = (row: Row) =>
    row
      .flatMap((cell, column) => (fit[column] ? pad(printable(cell), fit[column], isFree(head, column)) : []))
      .join(GAP)
      .trimEnd()
  return { head: [{ style: 'bold', lead: line(head) }], lines: (some) => some.map(line) }
}

/** One thing in full, a line for each of its fields that has a value. */
export function fields(all: readonly (readonly [name: string, value: string])[]): Line[] {
  const given = all.filter(([, value]) => value !== '')
  const width = Math.max(...given.map(([name]) => name.length)) + GAP.length
  const { isTTY, columns } = process.stdout
  return given.flatMap(([name, value], index) => {
    const text = printable(value)
    const [first, ...more] =
      isTTY && columns ? Bun.wrapAnsi(text, columns - width, { hard: true, trim: false }).split(/ *\n/) : [text]
    const lead = name.padEnd(width) + first
    return [index === 0 ? { style: 'bold' as const, lead } : lead, ...more.map((line) => ' '.repeat(width) + line)]
  })
}

function isFree(head: Row, column: number): boolean {
  return process.stdout.isTTY && FREE_TEXT.includes(head[column] ?? '')
}

/** `undefined` when they do not fit. A column of the width 0 is left out. */
function fitted(head: Row, widths: readonly number[]): number[] | undefined {
  const fit = [...widths]
  const { isTTY, columns } = process.stdout
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
