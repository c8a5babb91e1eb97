// The benchmark's arithmetic, requests and reports.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { startService } from '../../test/support/service.ts'
import { requestsTo, US } from '../contenders.ts'
import { type Figure, median, ratios } from '../figures.ts'
import { rawRequest } from '../load.ts'
import { nginxConfiguration, quoted } from '../nginx.ts'
import { resultsPage } from '../report.ts'
import { type Asking, WORK } from '../requests.ts'
import { ROWS } from '../rows.ts'
import { createStore, fill } from '../seed.ts'

const ROOT = join(import.meta.dir, '../..')

function figure(name: string, ...rates: number[]): Figure {
  const run = { p50Ms: 1, p99Ms: 2, busy: 1, cpuUs: name === 'floor' ? 5 : 10 }
  return { name, runs: rates.map((perSecond) => ({ perSecond, ...run })) }
}

describe('figures', () => {
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
})

describe('requests', () => {
  const asking = (pets: number): Asking => ({ pets, cursor: US.cursor, place: String, etag: '' })

  test('are complete HTTP with the length in bytes', () => {
    const raw = rawRequest({ method: 'POST', target: '/v1/pets', body: 'Zoë' }, 'k')
    expect(raw).toBe(
      'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\nContent-Length: 4\r\n\r\nZoë',
    )
  })

  test('rotate through different pages, and random pages rarely repeat', () => {
    expect(new Set(WORK.filtered.requests(asking(1000)).map(({ target }) => target)).size).toBe(100)
    expect(new Set(WORK.pages.requests(asking(1e6)).map(({ target }) => target)).size).toBeGreaterThan(150_000)
  })

  test('are valid for the service, and the seeded pets fill every page', async () => {
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
})

describe("nginx's configuration", () => {
  test('keeps quotes and backslashes, and rejects variables', () => {
    expect(quoted(`"it's" \\`)).toBe(`'"it\\'s" \\\\'`)
    expect(() => quoted('$host')).toThrow(RangeError)
    expect(() => quoted('x'.repeat(5000))).toThrow(RangeError)
  })

  test('has the status, headers and bytes of the response', () => {
    const answer = { status: 200, headers: { etag: '"e"', 'content-type': 'text/x' }, body: '[1]', key: 'k' }
    const text = nginxConfiguration(answer, '1', '/f')
    for (const line of [`return 200 '[1]';`, `add_header etag '"e"';`, 'default_type text/x;', `!= 'Bearer k'`]) {
      expect(text).toContain(line)
    }
  })
})

describe('bench/RESULTS.md', () => {
  const figures = [figure('petstore', 10_000, 12_000), figure('floor', 20_000, 24_000)]
  const [row] = ROWS as [(typeof ROWS)[0]]
  const result = { ...row, title: 'a list', figures, isMissed: true }

  test('has the figures of each row and the missed targets', () => {
    const text = resultsPage('AMD.\nnew', [result])
    expect(text).toStartWith('# Results\n\nAMD.\nnew\n\n')
    expect(text).toContain('| a list | 11 000 | 22 000 |  |  | 1.00 | 2.00 | 10.0 |\n')
    expect(text).toEndWith('Of 1 targets, which are shares of the floor, missed: list 0.50 instead of 0.95.\n')
  })

  test('has a row for each measurement with a store', () => {
    const written = readFileSync(join(ROOT, 'bench/RESULTS.md'), 'utf8')
    for (const { title, share } of ROWS) if (share !== undefined) expect(written).toContain(`\n| ${title} | `)
  })
})
