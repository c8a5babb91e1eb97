// Tables for people: times, and columns aligned by their width in a terminal, where a wide character counts as two.

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ''))))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - Bun.stringWidth(cell))
}

/** A time as tables show it: UTC, to the minute. */
export function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`
}
