// A chart of lines as SVG text, for the page about reliability: one plain chart needs no library. It has its own background, so it
// looks the same on light and on dark pages.

export interface Line {
  label: string
  points: readonly { x: number; y: number }[]
}

const WIDTH = 720
const TEXT = 'font-family="system-ui, sans-serif" font-size="13" fill="#1f2933"'
const LABEL_HEIGHT = 16
const COLORS = ['#1f6feb', '#6e7781', '#bf8700', '#8250df', '#cf222e', '#1a7f37']
/** With more points than this a line is drawn without a dot at each. */
const DOTS_MAX = 20

/** Linear axes begin at 0. On logarithmic ones, lines of very different heights share the chart; no value may be 0. */
export function lineChart(
  title: string,
  unit: string,
  lines: readonly Line[],
  scale: 'linear' | 'logarithmic',
): string {
  const [left, right, top, height] = [80, 110, 66, 300]
  const points = lines.flatMap((line) => line.points)
  const axis = scale === 'linear' ? linearAxis : logarithmicAxis
  const across = axis(points.map((point) => point.x))
  const up = axis(points.map((point) => point.y))
  const x = (value: number) => left + across.share(value) * (WIDTH - left - right)
  const y = (value: number) => top + height - up.share(value) * height
  const grid = up.ticks.flatMap((value) => [
    `<path d="M${left} ${tenth(y(value))}H${WIDTH - right}" stroke="#d0d7de"/>`,
    text(left - 8, y(value) + 4, rounded(value), 'end'),
  ])
  const ticks = across.ticks.map((value) => text(x(value), top + height + 24, rounded(value), 'middle'))
  const labels = spread(lines.map((line) => y(line.points.at(-1)?.y ?? 0)))
  const drawn = lines.flatMap(({ label, points }, index) => {
    const color = COLORS[index % COLORS.length]
    const path = points.map((point) => `${tenth(x(point.x))} ${tenth(y(point.y))}`).join('L')
    const dots = points.map(
      ({ x: at, y: of }) => `<circle cx="${tenth(x(at))}" cy="${tenth(y(of))}" r="3.5" fill="${color}"/>`,
    )
    return [
      `<path d="M${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...(points.length > DOTS_MAX ? [] : dots),
      text(WIDTH - right + 10, (labels[index] ?? 0) + 4, label),
    ]
  })
  return svg(title, unit, top + height + 42, [...grid, ...ticks, ...drawn])
}

interface Axis {
  ticks: number[]
  /** Where a value lies on the axis, from 0 to 1. */
  share(value: number): number
}

function logarithmicAxis(values: readonly number[]): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
  return { ticks, share: (value) => (Math.log10(value) - low) / (high - low) }
}

function linearAxis(values: readonly number[]): Axis {
  const most = Math.max(...values)
  const power = 10 ** Math.floor(Math.log10(most))
  const step = power * ([0.1, 0.2, 0.5, 1, 2].find((each) => most <= 6 * each * power) ?? 2)
  const steps = Math.ceil(most / step)
  return { ticks: Array.from({ length: steps + 1 }, (_, n) => n * step), share: (value) => value / (steps * step) }
}

/** Moves labels down until none covers another. */
function spread(heights: readonly number[]): number[] {
  const moved: number[] = []
  let lowest = Number.NEGATIVE_INFINITY
  for (const index of heights
    .keys()
    .toArray()
    .sort((a, b) => (heights[a] as number) - (heights[b] as number))) {
    lowest = moved[index] = Math.max(heights[index] as number, lowest + LABEL_HEIGHT)
  }
  return moved
}

function text(x: number, y: number, content: string, anchor = 'start'): string {
  return `<text x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}" ${TEXT}>${escaped(content)}</text>`
}

function svg(title: string, unit: string, height: number, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
<text x="20" y="28" font-weight="600" ${TEXT}>${escaped(title)}</text>
${text(20, 46, unit)}
${content.join('\n')}
</svg>
`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function tenth(value: number): string {
  return value.toFixed(1)
}

/** Whole numbers in groups of three digits; small ones with one digit after the point. */
function rounded(value: number): string {
  return value < 10 && !Number.isInteger(value)
    ? tenth(value)
    : Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
