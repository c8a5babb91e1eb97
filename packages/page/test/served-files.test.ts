// The pages as files over HTTP: what is served, how it is kept, how large it is, and what it may do.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { filesOf } from '../../../test/support/page-files.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { acceptedEncoding } from '../../service/src/http/web/static-file.ts'

const PAGES = ['/', '/docs']
const COMPRESSED_BYTES_MAX = 64_000

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.origin + path, { headers: { 'Accept-Encoding': 'identity', ...headers }, decompress: false })

/** The paths of the files that a page loads, as a browser would read them. */
async function loadedBy(path: string): Promise<string[]> {
  return filesOf(await (await get(path)).text()).map((address) => {
    const { origin, pathname } = new URL(address, service.origin + path)
    expect(origin).toBe(service.origin)
    return pathname
  })
}

describe('each page', () => {
  test('refers only to files of its own origin, which exist, have a type and are immutable', async () => {
    for (const page of PAGES) {
      const files = await loadedBy(page)
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) {
        expect(file).toMatch(/^\/(console|docs)\/[\w-]+\.(js|css|svg)$/)
        const response = await get(file)
        expect(response.status).toBe(200)
        expect(response.headers.get('Content-Type')).toMatch(/^(text\/javascript|text\/css|image\/svg\+xml)/)
        expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      }
    }
  })

  test('is revalidated each time, with 304', async () => {
    for (const page of PAGES) {
      const first = await get(page)
      expect(first.headers.get('Content-Type')).toBe('text/html;charset=utf-8')
      expect(first.headers.get('Cache-Control')).toBe('no-cache')
      const tag = first.headers.get('ETag') as string
      const again = await get(page, { 'If-None-Match': tag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      // Another encoding is another representation.
      expect((await get(page, { 'If-None-Match': tag, 'Accept-Encoding': 'gzip' })).status).toBe(200)
    }
  })

  test('runs only scripts of its own origin, cannot be framed and sends no forms', async () => {
    for (const page of PAGES) {
      const { headers } = await get(page)
      const policy = headers.get('Content-Security-Policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("connect-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'none'")
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
    expect((await get('/')).headers.get('Content-Security-Policy')).not.toContain('unsafe')
  })

  test('allows only the methods of a page, and serves no other file', async () => {
    for (const page of PAGES) {
      const head = await fetch(service.origin + page, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect((await fetch(service.origin + page, { method: 'POST' })).status).toBe(405)
    }
    for (const path of ['/console/', '/console/none.js', '/docs/none.js', '/console/..%2Fmain.tsx', '/docs/']) {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })
})

test('the whole page at / stays below 64 kB compressed, in each encoding', async () => {
  for (const encoding of ['gzip', 'br']) {
    let bytes = 0
    for (const file of ['/', ...(await loadedBy('/'))]) {
      const response = await get(file, { 'Accept-Encoding': encoding })
      expect(response.headers.get('Content-Encoding')).toBe(encoding)
      expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      bytes += (await response.bytes()).length
    }
    expect(bytes).toBeLessThan(COMPRESSED_BYTES_MAX)
  }
})

test('where a deprecation is described, the reference is', async () => {
  const { headers } = await service.get('/pets/1')
  const [, target = ''] = /<([^>]*)>; rel="deprecation"; type="text\/html"/.exec(headers.get('Link') ?? '') ?? []
  const response = await get(target)
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toStartWith('text/html')
})

test('a compressed file has the same content', async () => {
  for (const file of await loadedBy('/')) {
    const plain = await (await get(file)).text()
    for (const [encoding, inflate] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      expect(`${inflate(await (await get(file, { 'Accept-Encoding': encoding })).bytes())}`).toBe(plain)
    }
  }
})

test('a page that could not be bundled is bundled again at the next request', async () => {
  const { build } = Bun
  const another = await startService()
  try {
    Bun.build = () => Promise.reject(new Error('no memory'))
    expect((await fetch(`${another.origin}/`)).status).toBe(500)
  } finally {
    Bun.build = build
  }
  expect((await fetch(`${another.origin}/`)).status).toBe(200)
  await another.stop()
})

test('an encoding is used only when the client accepts it', () => {
  const cases: [string | null, string | undefined][] = [
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br ; q=0.000', undefined],
    ['brotli', undefined],
  ]
  for (const [header, expected] of cases) expect(acceptedEncoding(header)).toBe(expected as never)
})
