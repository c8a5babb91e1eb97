// Plots as SVG text: bars with the range of their rounds, and lines over sizes. Ours because two plain charts need no
// library; they bring their own background, so they read the same on light and on dark pages.

export interface Bar {
  label: string
  value: number
  low: number
  high: number
}

export interface Line {
  label: string
  points: { x: string; y: number }[]
}

const WIDTH = 720
const TEXT = 'font-family="system-ui, sans-serif" font-size="13" fill="#1f2933"'
const LINE_HEIGHT = 16
const COLORS = ['#1f6feb', '#6e7781', '#bf8700', '#8250df', '#cf222e', '#1a7f37']

export function barChart(title: string, unit: string, bars: readonly Bar[]): string {
  const [left, right, top, step] = [170, 90, 58, 34]
  const most = Math.max(...bars.map(({ high }) => high))
  const x = (value: number) => left + (value / most) * (WIDTH - left - right)
  const drawn = bars.map(({ label, value, low, high }, index) => {
    const y = top + index * step
    const middle = y + 11
    return [
      `<text x="${left - 10}" y="${middle + 4}" text-anchor="end" ${TEXT}>${escaped(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${tenth(x(value) - left)}" height="22" fill="${index === 0 ? COLORS[0] : COLORS[1]}"/>`,
      `<path d="M${tenth(x(low))} ${middle}H${tenth(x(high))}" stroke="#1f2933" stroke-width="2"/>`,
      `<text x="${tenth(x(high) + 8)}" y="${middle + 4}" ${TEXT}>${rounded(value)}</text>`,
    ].join('\n')
  })
  return svg(title, unit, top + bars.length * step + 14, drawn)
}

/** On a logarithmic scale: kinds of work of very different rates share the plot. */
export function lineChart(title: string, unit: string, lines: readonly Line[]): string {
  const [left, right, top, height] = [80, 110, 66, 300]
  const names = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort()
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y))
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.ceil(Math.log10(Math.max(...values)))
  const x = (name: string) => left + (names.indexOf(name) / Math.max(1, names.length - 1)) * (WIDTH - left - right)
  const y = (value: number) => top + height - ((Math.log10(value) - low) / Math.max(1, high - low)) * height
  const grid = Array.from({ length: high - low + 1 }, (_, index) => {
    const value = 10 ** (low + index)
    return [
      `<path d="M${left} ${tenth(y(value))}H${WIDTH - right}" stroke="#d0d7de"/>`,
      `<text x="${left - 8}" y="${tenth(y(value) + 4)}" text-anchor="end" ${TEXT}>${rounded(value)}</text>`,
    ].join('\n')
  })
  const ticks = names.map(
    (name) => `<text x="${tenth(x(name))}" y="${top + height + 24}" text-anchor="middle" ${TEXT}>${name}</text>`,
  )
  const labels = apart(lines.map(({ points }) => y(points.at(-1)?.y ?? 10 ** low)))
  const drawn = lines.map(({ label, points }, index) => {
    const color = COLORS[index % COLORS.length]
    const path = points.map((point, at) => `${at === 0 ? 'M' : 'L'}${tenth(x(point.x))} ${tenth(y(point.y))}`).join('')
    return [
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="2.5"/>`,
      ...points.map((point) => `<circle cx="${tenth(x(point.x))}" cy="${tenth(y(point.y))}" r="3.5" fill="${color}"/>`),
      `<text x="${WIDTH - right + 10}" y="${tenth((labels[index] ?? 0) + 4)}" ${TEXT}>${escaped(label)}</text>`,
    ].join('\n')
  })
  return svg(title, unit, top + height + 42, [...grid, ...ticks, ...drawn])
}

/** Moved down as far as each needs to be read beside the one above it. */
function apart(heights: readonly number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height)
  const moved: number[] = []
  let least = Number.NEGATIVE_INFINITY
  for (const { height, index } of order) {
    moved[index] = Math.max(height, least)
    least = (moved[index] as number) + LINE_HEIGHT
  }
  return moved
}

function svg(title: string, unit: string, height: number, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
<text x="20" y="28" font-weight="600" ${TEXT}>${escaped(title)}</text>
<text x="20" y="46" ${TEXT}>${escaped(unit)}</text>
${content.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function tenth(value: number): string {
  return value.toFixed(1)
}

function rounded(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
