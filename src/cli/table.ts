// Tables for people: times, and columns aligned by their width in a terminal, where a wide character counts as two.

import { printable } from '../observability/printable.ts'
import type { Line } from './print.ts'

const GAP = '  '
/** No column is made narrower than this. */
const WIDTH_MIN = 8

/** At a terminal, the widest columns are cut until the table fits. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): Line[] {
  const all = [head, ...rows.map((row) => row.map(printable))]
  const widths = fitted(head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? '')))))
  const lines = all.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
  const [lead = '', ...others] = lines
  return [{ style: 'bold', lead }, ...others]
}

function fitted(widths: readonly number[]): number[] {
  const fit = [...widths]
  const { isTTY, columns } = process.stdout
  if (!isTTY || !columns) return fit
  let excess = fit.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns
  for (; excess > 0; excess--) {
    const widest = fit.indexOf(Math.max(...fit))
    if ((fit[widest] ?? 0) <= WIDTH_MIN) break
    fit[widest] = (fit[widest] ?? 0) - 1
  }
  return fit
}

function pad(cell: string, width: number): string {
  const text = Bun.stringWidth(cell) > width ? cut(cell, width) : cell
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
