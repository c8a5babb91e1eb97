// Links have the path prefix of the base URL, and lead back through a proxy that removes it.

import { expect, test } from 'bun:test'
import { petBody } from '../../../../test/support/pets.ts'
import { startService } from '../../../../test/support/service.ts'

const ELSEWHERE = 'https://elsewhere.example/other/v1'
const BASE = 'https://a.example/shop/v1'
const service = await startService({ baseUrls: { production: BASE, staging: ELSEWHERE } })
for (let n = 0; n < 7; n++) await service.post(petBody())

/** Requests a path with the prefix, as the proxy passes it on. */
function follow(path: string | null | undefined, init: RequestInit = {}): Promise<Response> {
  expect(path).toStartWith('/shop/')
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' }
  return fetch(service.origin + path?.slice('/shop'.length), { ...init, headers })
}
const place = (petId: number) => follow('/shop/v1/store/orders', { method: 'POST', body: `{"petId":${petId}}` })
const linkOf = ({ headers }: { headers: Headers }, relation: string) =>
  new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1]

/** The length of each page. */
async function pages(first: string): Promise<number[]> {
  const lengths: number[] = []
  for (let path: string | undefined = first; path; ) {
    const response = await follow(path)
    lengths.push(((await response.json()) as unknown[]).length)
    path = linkOf(response, 'next')
  }
  return lengths
}

test('a list of pets or orders links to its next page, and a response to its new order', async () => {
  // The link keeps the special characters of a search.
  expect(await pages('/shop/v1/pets?limit=4&search=%22rex%3E%3B%20r%3C%26%22')).toEqual([4, 3])
  const [placed] = [await place(1), await place(2), await place(3)]
  expect(await pages('/shop/v1/store/orders?limit=2')).toEqual([2, 1])
  const order = await follow(placed.headers.get('Location'))
  expect(await order.json()).toEqual(await placed.json())
})

test('a deprecated operation links to its description, and to the list with the pet as its successor', async () => {
  for (const status of ['available', 'pending', 'sold']) {
    const { id } = JSON.parse((await service.post(petBody({ status }))).text)
    const pet = await follow(`/shop/v1/pets/${id}`)
    const list = (await (await follow(linkOf(pet, 'successor-version'))).json()) as { id: number }[]
    expect([status, ...list.map((one) => one.id)]).toContain(id)
    expect((await follow(linkOf(pet, 'deprecation'))).status).toBe(200)
  }
})

test('a 404 links to documents that exist, and does not echo the request', async () => {
  const { text } = await service.get('/<script>?q=<b>')
  expect(text).not.toMatch(/script|<|%3C/)
  const paths = text.match(/\/shop\/(?!v1)(?:[\w.]*\w)?/g) ?? []
  expect(paths).toEqual(['/shop/docs', '/shop/openapi.yaml', '/shop/openapi.json', '/shop/'])
  for (const path of paths) expect([path, (await follow(path)).status]).toEqual([path, 200])
})

test('the message about a removed operation has the prefix', async () => {
  const late = await startService({
    now: () => Date.UTC(2031, 0, 1),
    baseUrls: { production: BASE, staging: undefined },
  })
  const { message } = JSON.parse((await late.get('/pets/1')).text)
  expect(message).toContain('Use GET /shop/v1/pets?status=available instead.')
})

test('a staging service uses the staging base URL', async () => {
  const staging = await startService({ environment: 'staging', baseUrls: { production: ELSEWHERE, staging: BASE } })
  for (let n = 0; n < 2; n++) await staging.post(petBody())
  expect(linkOf(await staging.get('/pets?limit=1'), 'next')).toStartWith('/shop/v1/pets?')
})
