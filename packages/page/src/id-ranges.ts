// Ids as ranges, short enough for an address: `12-511,520`. What an import adds has ids that follow each other, but for what others add meanwhile.

export interface IdRanges {
  /** The smallest. */
  min: bigint
  has: (id: bigint) => boolean
}

export function toIdRanges(ids: readonly bigint[]): string {
  const ranges: [bigint, bigint][] = []
  for (const id of ids.toSorted((a, b) => (a < b ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last && id <= last[1] + 1n) last[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

/** `undefined` where the text is none. */
export function fromIdRanges(text: string): IdRanges | undefined {
  if (!/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(text)) return undefined
  const ranges = text.split(',').map((part) => {
    const [from = '', to = from] = part.split('-')
    return [BigInt(from), BigInt(to)] as const
  })
  return {
    min: ranges.reduce((min, [from]) => (from < min ? from : min), ranges[0]?.[0] ?? 0n),
    has: (id) => ranges.some(([from, to]) => from <= id && id <= to),
  }
}
