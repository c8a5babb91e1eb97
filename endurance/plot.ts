// One line over time as an SVG file, for a page of documentation, light or dark.

const [WIDTH, HEIGHT, MARGIN] = [720, 240, 48]

/** The y axis begins at 0: a slope that cannot be seen there is none. */
export function linePlot(points: readonly [number, number][], xLabel: string, yLabel: string): string {
  const xMax = Math.max(1e-9, ...points.map(([x]) => x))
  const yMax = Math.max(1e-9, ...points.map(([, y]) => y)) * 1.1
  const left = (x: number): number => MARGIN + (x / xMax) * (WIDTH - 2 * MARGIN)
  const top = (y: number): number => HEIGHT - MARGIN - (y / yMax) * (HEIGHT - 2 * MARGIN)
  const line = points.map(([x, y]) => `${left(x).toFixed(1)},${top(y).toFixed(1)}`).join(' ')
  const label = (x: number, y: number, text: string, anchor = 'middle'): string =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#777">
<title>${yLabel} over ${xLabel}</title>
<path d="M${MARGIN} ${MARGIN}V${HEIGHT - MARGIN}H${WIDTH - MARGIN}" fill="none" stroke="#777"/>
${label(WIDTH / 2, HEIGHT - 12, xLabel)}
${label(MARGIN, MARGIN - 12, yLabel)}
${label(MARGIN, HEIGHT - MARGIN + 16, '0')}
${label(WIDTH - MARGIN, HEIGHT - MARGIN + 16, xMax.toFixed(xMax < 10 ? 1 : 0))}
${label(MARGIN - 6, MARGIN + 4, yMax.toFixed(0), 'end')}
${label(MARGIN - 6, HEIGHT - MARGIN, '0', 'end')}
<polyline points="${line}" fill="none" stroke="#2a78c2" stroke-width="1.5"/>
</svg>
`
}
