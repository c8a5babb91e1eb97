// The benchmark's arithmetic and requests.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { startService } from '../../test/support/service.ts'
import { requestsTo, US } from '../contenders.ts'
import { median, ratios } from '../figures.ts'
import { type Asking, WORK } from '../requests.ts'
import { createStore, fill } from '../seed.ts'

const ROOT = join(import.meta.dir, '../..')

test('a median is the middle value, or the mean of the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
  expect(() => median([])).toThrow(RangeError)
})

test('computes ratios round by round', () => {
  // The machine was four times slower in the second round, which does not change the ratio.
  expect(ratios([100, 25, 100], [50, 12.5, 200])).toEqual({ median: 2, min: 0.5, max: 2 })
  expect(() => ratios([1, 2], [1])).toThrow(RangeError)
})

const asking = (pets: number): Asking => ({ pets, cursor: US.cursor, place: String, etag: '' })

test('requests are valid for the service, and the seeded pets fill every page', async () => {
  const path = temporaryFile('seeded.db')
  const key = createStore(ROOT, path)
  fill(path, 1000)
  const service = await startService({ address: path })
  const authorization = { Authorization: `Bearer ${key}` }
  try {
    const asked = [...WORK.filtered.requests(asking(1000)), ...WORK.pages.requests(asking(1000)).slice(0, 20)]
    const unfilled: string[] = []
    for (const { target } of asked) {
      const { status, text } = await service.get(target.replace('/v1', ''), authorization)
      expect(status).toBe(200)
      if (JSON.parse(text).length !== 20) unfilled.push(target)
    }
    // One pet in ten is sold, so the last pages are short in such a small store.
    expect(unfilled.filter((target) => !target.includes('sold'))).toEqual([])
    const [events] = await requestsTo({ port: service.port, key }, US, WORK.events, 1000)
    const { text: page } = await service.get(events?.target.replace('/v1', '') ?? '', authorization)
    expect(JSON.parse(page).length).toBe(100)
    const { status, text } = await service.post(WORK.create.requests(asking(0))[0]?.body, authorization)
    expect([status, JSON.parse(text).id]).toEqual([201, 1001])
  } finally {
    await service.stop()
  }
})
