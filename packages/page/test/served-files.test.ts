// The pages as files over HTTP: their addresses, caching, size and permissions.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { filesOf } from '../../../test/support/page-files.ts'
import { ask } from '../../../test/support/process.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { acceptedEncoding } from '../../service/src/http/web/static-file.ts'
import { shortened } from '../src/list/list-position.ts'

const PAGES = ['/', '/docs']
const COMPRESSED_BYTES_MAX = 66_000

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.origin + path, { headers: { 'Accept-Encoding': 'identity', ...headers }, decompress: false })

/** The paths of the files that a page loads, as a browser would resolve them. */
async function loadedBy(path: string): Promise<string[]> {
  return filesOf(await (await get(path)).text()).map((address) => {
    const { origin, pathname } = new URL(address, service.origin + path)
    expect(origin).toBe(service.origin)
    return pathname
  })
}

test.each(PAGES)('%s is revalidated each time, and runs only scripts of its own origin, in no frame', async (page) => {
  const first = await get(page)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'text/html;charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  const tag = first.headers.get('ETag') as string
  const again = await get(page, { 'If-None-Match': tag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  // Another encoding is another representation.
  expect((await get(page, { 'If-None-Match': tag, 'Accept-Encoding': 'gzip' })).status).toBe(200)
  const policy = first.headers.get('Content-Security-Policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(rule)
  }
  expect(policy).toContain("form-action 'none'")
  if (page === '/') expect(policy).not.toContain('unsafe')
})

test.each(PAGES)('%s loads only immutable files of its own origin, and has no other methods', async (page) => {
  const files = await loadedBy(page)
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    expect(file).toMatch(/^\/(console|docs)\/[\w-]+\.(js|css|svg)$/)
    const response = await get(file)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^(text\/javascript|text\/css|image\/svg\+xml)/)
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
  }
  const head = await fetch(service.origin + page, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await fetch(service.origin + page, { method: 'POST' })).status).toBe(405)
})

test.each(['/console/', '/console/none.js', '/docs/none.js', '/console/..%2Fmain.tsx', '/docs/'])(
  '%s is not served',
  async (path) => {
    const response = await get(path)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  },
)

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('the page at / stays below 66 kB in %s, with the same content', async (encoding, inflate) => {
  let bytes = 0
  for (const file of ['/', ...(await loadedBy('/'))]) {
    const response = await get(file, { 'Accept-Encoding': encoding })
    expect(response.headers.get('Content-Encoding')).toBe(encoding)
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    const compressed = await response.bytes()
    bytes += compressed.length
    expect(`${inflate(compressed)}`).toBe(await (await get(file)).text())
  }
  expect(bytes).toBeLessThan(COMPRESSED_BYTES_MAX)
})

test('a search of the page gets a response header of at most 4 kB, the default limit of nginx', async () => {
  const name = '犬'.repeat(TEXT_LENGTH_MAX)
  const headers = { Authorization: `Bearer ${service.key}` }
  const filter = { status: 'available', categoryId: String(-(2n ** 63n)) }
  for (let n = 0; n < 3; n++)
    await ask('POST', `${service.url}/pets`, service.key, `{"name":"${name}","categoryId":${filter.categoryId}}`)
  let link = `/v1/pets?${new URLSearchParams({ ...filter, limit: '1', sort: 'newest', search: shortened(name) })}`
  const bytes: number[] = []
  for (let n = 0; n < 2; n++) {
    const page = await fetch(service.origin + link, { headers })
    link = /<(\S+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1] as string
    bytes.push([...page.headers].reduce((sum, field) => sum + field.join(': \r\n').length, 20))
  }
  // The second page has both links. A proxy's path prefix adds to each.
  expect(bytes[1]).toBeWithin(3_000, 4_096 - 2 * 60)
})

test('the redirect of an address with a long id has a short header', async () => {
  const to = async (id: string) =>
    (await fetch(`${service.origin}/animals/${id}`, { redirect: 'manual' })).headers.get('Location')
  expect(await to('420')).toBe('../?animal=420')
  // The cut splits a surrogate pair.
  expect((await to(encodeURIComponent(`x${'𠀀'.repeat(500)}`)))?.length).toBeWithin(500, 1_000)
})

test('a page whose bundling failed is bundled again at the next request', async () => {
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

test.each<[string | null, string | undefined]>([
  [null, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br ; q=0.000', undefined],
  ['brotli', undefined],
])('for Accept-Encoding %p the encoding is %p', (header, expected) => {
  expect(acceptedEncoding(header)).toBe(expected as never)
})
