// The benchmark's arithmetic, requests and texts.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { startService } from '../../test/support/service.ts'
import { requestsTo, US } from '../contenders.ts'
import { type Figure, median, ratios, reach } from '../figures.ts'
import { rawRequest } from '../load.ts'
import { nginxConfiguration, quoted } from '../nginx.ts'
import { page, summarized } from '../report.ts'
import { type Asking, WORK } from '../requests.ts'
import { movedRound } from '../rounds.ts'
import { ROWS } from '../rows.ts'
import { createStore, fill } from '../seed.ts'

const ROOT = join(import.meta.dir, '../..')

function figure(name: string, ...rates: number[]): Figure {
  const run = { p50Ms: 1, p99Ms: 2, busy: 1, cpuUs: name === 'floor' ? 5 : 10, residentMB: 80 }
  return { name, runs: rates.map((perSecond) => ({ perSecond, ...run })) }
}

describe('figures', () => {
  test('a median is the middle value, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(() => median([])).toThrow(RangeError)
  })

  test('a ratio is taken round by round', () => {
    // The whole machine was four times slower in the second round: the ratio does not see it.
    expect(ratios([100, 25, 100], [50, 12.5, 200])).toEqual([2, 2, 0.5])
    expect(() => ratios([1, 2], [1])).toThrow(RangeError)
  })

  test('a target is met only when it is reached', () => {
    const figures = [figure('petstore', 84, 84, 90), figure('floor', 100, 100, 100)]
    expect(reach('petstore ≥ 0.85 × floor', figures)).toMatchObject({ median: 0.84, met: false, byProcessorTime: 0.5 })
    expect(reach('petstore ≥ 0.84 × floor', figures)).toMatchObject({ met: true, min: 0.84, max: 0.9, unit: '×' })
    expect(reach('petstore ≥ 85 a second', figures)).toMatchObject({ median: 84, met: false, unit: 'a second' })
    expect(reach('p99 of petstore ≤ 2 ms', figures)).toMatchObject({ median: 2, met: true, unit: 'ms' })
    expect(reach('p99 of petstore ≤ 0.9 × floor', figures)).toMatchObject({ median: 1, met: false })
    expect(reach('petstore ÷ floor', figures)).toMatchObject({ median: 0.84, met: true })
    expect(() => reach('petstore ≥ 1 × nginx', figures)).toThrow('no perSecond of nginx')
  })

  test('of memory the highest value counts', () => {
    const runs = [70, 91, 80].map((residentMB) => ({ residentMB }))
    expect(reach('memory of a list ≤ 90 MB', [{ name: 'a list', runs }])).toMatchObject({ median: 80, met: false })
  })

  test('two workers are compared with two floors by the work of a second of processor time', () => {
    const of = (name: string, cpuUs: number) => ({ name, runs: [{ cpuUs }] })
    const figures = [of('list, us', 8), of('list, two', 10), of('list, floor', 4), of('list, two floors', 5)]
    const target = (factor: number) => `work of (list, two ÷ list, us) ≥ ${factor} × (list, two floors ÷ list, floor)`
    expect(reach(target(1), figures)).toMatchObject({ median: 1, met: true })
    expect(reach(target(1.01), figures).met).toBe(false)
  })

  test('a round whose floor is more than 15 % from the median is the one to repeat', () => {
    expect(movedRound([100, 114, 90])).toBeUndefined()
    expect(movedRound([100, 80, 100, 70])).toBe(3)
    expect(movedRound([])).toBeUndefined()
  })

  test('the targets of every row name figures that the row measures', () => {
    for (const { groups, targets, starts } of ROWS) {
      const entries = groups.flat()
      const figures = entries.map(({ name }) => {
        return starts ? { name, runs: [{ startMs: 1 }] } : figure(name, 1)
      })
      for (const target of targets) expect(Number.isFinite(reach(target, figures).median)).toBe(true)
      expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
    }
  })
})

describe('requests', () => {
  const asking = (pets: number): Asking => ({ pets, cursor: US.cursor, place: String, etag: '' })

  test('are whole HTTP, with the length in bytes', () => {
    const raw = rawRequest({ method: 'POST', target: '/v1/pets', body: 'Zoë' }, 'k')
    expect(raw).toBe(
      'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\nContent-Length: 4\r\n\r\nZoë',
    )
  })

  test('for pages in rotation are all different, and those for random pages mostly', () => {
    expect(new Set(WORK.filtered.requests(asking(1000)).map(({ target }) => target)).size).toBe(100)
    expect(new Set(WORK.pages.requests(asking(1e6)).map(({ target }) => target)).size).toBeGreaterThan(150_000)
  })

  test('are understood by the service, and the seeded pets fill every page', async () => {
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
      // `sold` is one in ten: its last pages are short in a store this small.
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
  test('keeps quotes and backslashes as they are, and takes no variables', () => {
    expect(quoted(`"it's" \\`)).toBe(`'"it\\'s" \\\\'`)
    expect(() => quoted('$host')).toThrow(RangeError)
    expect(() => quoted('x'.repeat(5000))).toThrow(RangeError)
  })

  test('holds the status, the headers and the bytes of the answer', () => {
    const answer = { status: 200, headers: { etag: '"e"', 'content-type': 'text/x' }, body: '[1]', key: 'k' }
    const text = nginxConfiguration(answer, '1', '/f')
    for (const line of [`return 200 '[1]';`, `add_header etag '"e"';`, 'default_type text/x;', `!= 'Bearer k'`]) {
      expect(text).toContain(line)
    }
  })
})

describe('the page', () => {
  const figures = [figure('petstore', 10_000, 12_000), figure('floor', 20_000, 24_000)]
  const target = 'petstore ≥ 0.85 × floor'
  const results = [{ title: 'List', remark: '', figures, targets: [{ target, ...reach(target, figures) }] }]

  test('says what was reached and what was missed', () => {
    const text = page('# Performance\n', 'AMD, 2 cores, 2026-11-21', '2 rounds of 1 s.', results)
    expect(text).toStartWith('# Performance\n\n## AMD, 2 cores, 2026-11-21\n\n2 rounds of 1 s.\n\n### Targets\n')
    expect(text).toContain(`| List | ${target} | 0.50 × (0.50 to 0.50), by processor time 0.50 × **missed** |`)
    expect(text).toContain(
      '| petstore | 11 000 (10 000 to 12 000) | 1.00 | 2.00 | 1.00 | 10.0 | 80.0 | 0.50 (0.50 to 0.50) |',
    )
  })

  test('keeps the sections of other machines and replaces its own', () => {
    const before =
      '# Performance\n\n## AMD, 2 cores, 2026-01-01\n\nold\n\n### List\n\n## AMD, 4 cores, 2026-01-01\n\nother\n'
    const text = page(before, 'AMD, 2 cores, 2026-11-21', 'new', results)
    expect(text).not.toContain('old')
    expect(text).toEndWith('\n\n## AMD, 4 cores, 2026-01-01\n\nother\n')
    expect(page(text, 'AMD, 2 cores, 2026-11-21', 'new', results)).toBe(text)
  })

  test('of docs/performance.md, which people read, one section has the headlines', () => {
    const [row] = results
    const summary = (before: string) => {
      return summarized(before, 'AMD, 2 cores, 2026-11-21', 'new', [
        { ...(row as (typeof results)[0]), headlines: { petstore: 'a list' } },
      ])
    }
    const text = summary('# Performance\n\n## What one server does\n\nold\n\n## More\n')
    expect(text).toStartWith('# Performance\n\n## What one server does\n\nAMD, 2 cores, 2026-11-21.\nnew\n\n')
    expect(text).toContain('| a list | 11 000 | 22 000 |  |  | 1.00 | 2.00 | 10.0 |\n\n0 of 1 targets were reached')
    expect(text).toEndWith('\n\n## More\n')
    expect(summary(text)).toBe(text)
    expect(() => summary('# Performance\n')).toThrow('no section')
    const written = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8')
    for (const { headlines = {}, groups } of ROWS) {
      const names = groups.flat().flatMap(({ name, beside }) => [name, beside?.name])
      for (const [name, words] of Object.entries(headlines)) {
        expect(names).toContain(name)
        expect(written).toContain(`\n| ${words} | `)
      }
    }
  })
})
