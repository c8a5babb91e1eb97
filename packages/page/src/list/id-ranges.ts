// Ids as ranges for an address: `12-511,520`. An import adds mostly consecutive ids.

import { int64FromDecimal } from '../../../contract/src/json.ts'

export function toIdRanges(ids: readonly bigint[]): string {
  const ranges: [bigint, bigint][] = []
  for (const id of ids.toSorted((a, b) => (a < b ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last && id <= last[1] + 1n) last[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

/**
 * Returns a function that skips `skip` ids, highest first, and returns up to `count` more, or `undefined` if the text
 * is invalid.
 */
export function fromIdRanges(text: string): ((skip: number, count: number) => bigint[]) | undefined {
  if (!/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(text)) return undefined
  const ranges = text.split(',').map((part) => part.split('-').map(int64FromDecimal))
  if (ranges.flat().includes(undefined)) return undefined
  const falling = (ranges as bigint[][])
    .map(([from = 0n, to = from]) => ({ from, to }))
    .sort((a, b) => (a.to > b.to ? -1 : 1))
  return (skip, count) => {
    const ids = new Set<bigint>()
    let left = BigInt(skip)
    for (const { from, to } of falling) {
      for (let id = to - left; id >= from && ids.size < count; id--) ids.add(id)
      const size = to - from + 1n
      left = left > size ? left - size : 0n
    }
    return [...ids]
  }
}
