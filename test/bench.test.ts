// The benchmark's arithmetic, requests and texts.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Answer, nginxConfiguration, quoted } from '../bench/answers.ts'
import { ourCursor } from '../bench/contenders.ts'
import { rawRequest } from '../bench/load.ts'
import { markdown } from '../bench/report.ts'
import { type Asking, creates, filteredPages, randomPages } from '../bench/requests.ts'
import { atLeast, atMost, type Figure } from '../bench/results.ts'
import { createStore, fill } from '../bench/seed.ts'
import { median, ratio, summary } from '../bench/statistics.ts'
import { temporaryFile } from './support/files.ts'
import { startService } from './support/service.ts'

const ROOT = join(import.meta.dir, '..')

function figure(name: string, ...rates: number[]): Figure {
  const run = { p50Ms: 1, p99Ms: 2, busy: 1, cpuUs: 10 }
  return { name, runs: rates.map((perSecond) => ({ ...run, perSecond })) }
}

describe('figures', () => {
  test('a median is the middle value, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(() => median([])).toThrow(RangeError)
  })

  test('a ratio is taken round by round', () => {
    // The whole machine was four times slower in the second round: the ratio does not see it.
    expect(ratio([100, 25, 100], [50, 12.5, 200])).toEqual({ median: 2, min: 0.5, max: 2 })
    expect(() => ratio([1, 2], [1])).toThrow(RangeError)
  })

  test('a target is met only when it is reached', () => {
    const figures = [figure('petstore', 84, 84, 90), figure('nginx', 100, 100, 100)]
    expect(atLeast(figures, 'petstore', 0.85, 'nginx')).toMatchObject({ median: 0.84, met: false })
    expect(atLeast(figures, 'petstore', 0.84, 'nginx')).toMatchObject({ met: true, min: 0.84, max: 0.9 })
    expect(atMost('p99 ≤ 10 ms', summary([10.1]), 10, 'ms').met).toBe(false)
  })
})

describe('requests', () => {
  const asking: Asking = { key: 'pets_live_x', running: { port: 0 }, cursor: ourCursor }

  test('are whole HTTP, with the length in bytes', () => {
    const raw = rawRequest({ method: 'POST', target: '/v1/pets', body: 'Zoë' }, 'k')
    expect(raw).toBe(
      'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\nContent-Length: 4\r\n\r\nZoë',
    )
  })

  test('for pages in rotation are all different, and those for random pages mostly', () => {
    expect(new Set(filteredPages(asking, 1000).map(({ target }) => target)).size).toBe(100)
    expect(new Set(randomPages(asking, 1e6).map(({ target }) => target)).size).toBeGreaterThan(150_000)
  })

  test('are understood by the service, and the seeded pets fill every page', async () => {
    const path = temporaryFile('seeded.db')
    const key = createStore(ROOT, path)
    fill(path, 1000)
    const service = await startService({ address: path })
    const authorization = { Authorization: `Bearer ${key}` }
    try {
      const asked = [...filteredPages(asking, 1000), ...randomPages(asking, 1000).slice(0, 20)]
      const unfilled: string[] = []
      for (const { target } of asked) {
        const { status, text } = await service.get(target.replace('/v1', ''), authorization)
        expect(status).toBe(200)
        if (JSON.parse(text).length !== 20) unfilled.push(target)
      }
      // `sold` is one in ten: its last pages are short in a store this small.
      expect(unfilled.filter((target) => !target.includes('sold'))).toEqual([])
      const { status, text } = await service.post(creates()[0]?.body, authorization)
      expect([status, JSON.parse(text).id]).toEqual([201, 1001])
    } finally {
      await service.stop()
    }
  })
})

describe("nginx's configuration", () => {
  test('keeps quotes and backslashes as they are, and takes no variables', () => {
    expect(quoted(`"it's" \\`)).toBe(`'"it\\'s" \\\\'`)
    expect(() => quoted('$host')).toThrow(RangeError)
    expect(() => quoted('x'.repeat(5000))).toThrow(RangeError)
  })

  test('holds the status, the headers and the bytes of the answer', () => {
    const answer: Answer = { status: 200, headers: { etag: '"e"', 'content-type': 'text/x' }, body: '[1]' }
    const text = nginxConfiguration(answer, 'k', '1', '/f')
    for (const line of [`return 200 '[1]';`, `add_header etag '"e"';`, 'default_type text/x;', `!= 'Bearer k'`]) {
      expect(text).toContain(line)
    }
  })
})

test('the report says what was reached and what was missed', () => {
  const figures = [figure('petstore', 10_000, 12_000), figure('nginx', 20_000, 24_000)]
  const targets = [atLeast(figures, 'petstore', 0.85, 'nginx')]
  const text = markdown('2 cores. 2 rounds of 1 s.', [{ title: 'List', figures, targets }])
  expect(text).toContain('writes this page. 2 cores. 2 rounds of 1 s.')
  expect(text).toContain('| List | petstore ≥ 0.85 × nginx | 0.50 × (0.50 to 0.50) **missed** |')
  expect(text).toContain('| nginx | 22 000 (20 000 to 24 000) | 1.00 | 2.00 | 100 % | 10.0 | 0.50 × (0.50 to 0.50) |')
})
