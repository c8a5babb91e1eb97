// The benchmark's own arithmetic and texts: a yardstick that is wrong misleads more than none.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { nginxConfiguration, quoted } from '../bench/nginx.ts'
import { markdown, plots } from '../bench/report.ts'
import { type Asking, creates, ourCursor, randomPages, rawRequest, statusPages } from '../bench/requests.ts'
import { atLeast, atMost, type Figure, type Results } from '../bench/results.ts'
import { seed } from '../bench/seed.ts'
import { median, ratio, repeatable } from '../bench/statistics.ts'
import { temporaryFile } from './support/files.ts'
import { startService } from './support/service.ts'

const ROOT = join(import.meta.dir, '..')

function figure(name: string, ...rates: number[]): Figure {
  const run = { requests: 1, p50Ms: 1, p99Ms: 2, serverBusy: 1, cpuUs: 10, bytesPerAnswer: 100 }
  return { name, runs: rates.map((perSecond) => ({ ...run, perSecond })) }
}

describe('figures', () => {
  test('a median is the middle one, or between the two in the middle', () => {
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
    expect(atLeast(figures, 'petstore', 0.85, 'nginx')).toMatchObject({ reached: 0.84, met: false })
    expect(atLeast(figures, 'petstore', 0.84, 'nginx')).toMatchObject({ met: true, min: 0.84, max: 0.9 })
    expect(atMost('p99 ≤ 10 ms', 10.1, 10, 'ms').met).toBe(false)
  })

  test('the random numbers are the same at every run', () => {
    const [one, other] = [repeatable(7), repeatable(7)]
    const first = Array.from({ length: 5 }, one)
    expect(Array.from({ length: 5 }, other)).toEqual(first)
    expect(new Set(first).size).toBe(5)
  })
})

describe('requests', () => {
  const asking: Asking = { key: 'pets_live_x', base: '/v1', cursor: ourCursor }

  test('are whole HTTP, with the length in bytes', () => {
    const raw = rawRequest({ method: 'POST', target: '/v1/pets', body: 'Zoë' }, 'k')
    expect(raw).toBe(
      'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\nContent-Length: 4\r\n\r\nZoë',
    )
  })

  test('for pages in rotation are all different', () => {
    expect(new Set(statusPages(asking, 1000).map(({ target }) => target)).size).toBe(100)
  })

  test('are understood by the service, and the seeded animals fill every page', async () => {
    const path = temporaryFile('seeded.db')
    const key = await seed(ROOT, path, 1000)
    const service = await startService({ address: path })
    const authorization = { Authorization: `Bearer ${key}` }
    try {
      const asked = [...statusPages(asking, 1000), ...randomPages(asking, 1000).slice(0, 20)]
      const unfilled: string[] = []
      for (const { target } of asked) {
        const { status, text } = await service.get(target.replace('/v1', ''), authorization)
        expect(status).toBe(200)
        if (JSON.parse(text).length !== 20) unfilled.push(target)
      }
      // `sold` is one in ten: its last pages are short in a store this small.
      expect(unfilled.filter((target) => !target.includes('sold'))).toEqual([])
      const { status, text } = await service.post(creates(asking)[0]?.body, authorization)
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

  test('answers several targets each with its own bytes, with the headers of the service', () => {
    const answer = (target: string) => ({ target, headers: { etag: '"e"', date: 'now' }, body: `[${target}]` })
    const text = nginxConfiguration({
      port: 1,
      key: 'k',
      answers: [answer('/v1/pets?a'), answer('/v1/pets?b')],
      folder: '/f',
    })
    expect(text).toContain(`'/v1/pets?b' '[/v1/pets?b]';`)
    expect(text).toContain('location /v1/pets {')
    expect(text).toContain(`add_header etag '"e"';`)
    expect(text).not.toContain('date')
  })
})

describe('the report', () => {
  const measured = { date: '2026-01-01', commit: 'abc1234', rounds: 2, seconds: 1 }
  const results: Results = {
    machine: '2 cores',
    versions: { Bun: '1' },
    rows: [
      {
        ...measured,
        row: 'list',
        title: 'List',
        figures: [figure('petstore', 10_000, 12_000), figure('nginx', 20_000, 24_000)],
        targets: [atLeast([figure('petstore', 1), figure('nginx', 2)], 'petstore', 0.85, 'nginx')],
      },
      { ...measured, row: 'postgres', title: 'PostgreSQL', figures: [], targets: [], skipped: 'there is none' },
    ],
  }

  test('says what was reached, what was missed and what was not measured', () => {
    const text = markdown(results)
    expect(text).toContain('| List | ≥ 0.85 × nginx | 0.50 × (0.50 to 0.50) | **no** |')
    expect(text).toContain('| PostgreSQL |  | not measured: there is none |  |')
    expect(text).toContain('2026-01-01, commit abc1234, 2 rounds of 1 s.')
    expect(text).toContain('| petstore | 11 000 (10 000 to 12 000) |')
  })

  test('has a plot for each row with rates, and for no other', () => {
    expect(Object.keys(plots(results))).toEqual(['list.svg'])
    expect(plots(results)['list.svg']).toContain('11 000')
  })
})
