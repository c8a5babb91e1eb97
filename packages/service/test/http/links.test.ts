// Links behind a proxy with a path prefix lead back through the proxy.

import { beforeAll, describe, expect, test } from 'bun:test'
import { petBody } from '../../../../test/support/pets.ts'
import { PREFIX, type PrefixProxy, startPrefixProxy } from '../../../../test/support/prefix-proxy.ts'
import { type Service, startService } from '../../../../test/support/service.ts'

const PETS = 7

describe('with a path prefix in the base URL', () => {
  let service: Service
  let proxy: PrefixProxy
  beforeAll(async () => {
    proxy = startPrefixProxy(() => service.origin)
    const baseUrls = { production: `${proxy.origin}/shop/v1`, staging: 'https://elsewhere.example/other/v1' }
    service = await startService({ baseUrls })
    for (let n = 0; n < PETS; n++) await service.post(petBody())
  })

  const ask = (url: string | URL, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { Authorization: `Bearer ${service.key}`, ...init.headers } })
  const place = (petId: number) => {
    const headers = { 'Content-Type': 'application/json' }
    return ask(`${proxy.origin}/shop/v1/store/orders`, { method: 'POST', headers, body: `{"petId":${petId}}` })
  }
  /** The target of the link with this relation, resolved as in a browser. */
  const target = (response: Response, relation: string): URL | undefined => {
    const link = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(response.headers.get('Link') ?? '')
    return link?.[1] === undefined ? undefined : new URL(link[1], response.url)
  }

  /** The length of each page. */
  async function pages(first: string): Promise<number[]> {
    const lengths: number[] = []
    for (let url: URL | undefined = new URL(first); url; ) {
      const response: Response = await ask(url)
      expect({ url, status: response.status }).toEqual({ url, status: 200 })
      lengths.push(((await response.json()) as unknown[]).length)
      url = target(response, 'next')
    }
    return lengths
  }

  test('a list of pets or orders links to its next page', async () => {
    expect(await pages(`${proxy.origin}/shop/v1/pets?limit=3`)).toEqual([3, 3, 1])
    // The link keeps the special characters of a search.
    expect(await pages(`${proxy.origin}/shop/v1/pets?limit=4&search=%22rex%3E%3B%20r%3C%26%22`)).toEqual([4, 3])
    for (const petId of [1, 2, 3]) await place(petId)
    expect((await pages(`${proxy.origin}/shop/v1/store/orders?limit=2`)).length).toBeGreaterThan(1)
  })

  test('Location leads to the new order', async () => {
    const placed = await place(4)
    const order = await ask(new URL(placed.headers.get('Location') ?? '', placed.url))
    expect(await order.json()).toEqual(await placed.json())
  })

  test('a deprecated operation links to its successor and its description', async () => {
    const pet = await ask(`${proxy.origin}/shop/v1/pets/1`)
    for (const relation of ['successor-version', 'deprecation']) {
      const found = target(pet, relation) as URL
      expect([found.pathname.startsWith('/shop/'), (await ask(found)).status]).toEqual([true, 200])
    }
  })

  test.each(['available', 'pending', 'sold'])('a %s pet links to the list that has it', async (status) => {
    const { id } = JSON.parse((await service.post(petBody({ status }))).text)
    const pet = await ask(`${proxy.origin}/shop/v1/pets/${id}`)
    const list = await ask(target(pet, 'successor-version') as URL)
    expect(((await list.json()) as { id: number }[]).map((one) => one.id)).toContain(id)
  })

  test('a 404 links to documents that exist', async () => {
    const message = await (await ask(`${proxy.origin}/shop/pets/1`)).text()
    const paths = message.match(/\/shop\/(?!v1)(?:[\w.]*\w)?/g) ?? []
    expect(paths).toEqual(['/shop/docs', '/shop/openapi.yaml', '/shop/openapi.json', '/shop/'])
    for (const path of paths) expect([path, (await ask(proxy.origin + path)).status]).toEqual([path, 200])
  })

  test('a direct caller also gets links with the base URL', async () => {
    const direct = await ask(`${service.url}/pets?limit=3`)
    expect(target(direct, 'next')?.pathname).toBe(`${PREFIX}/v1/pets`)
  })
})

test('the message about a removed operation has the path of the base URL', async () => {
  const now = () => Date.UTC(2031, 0, 1)
  const service = await startService({ now, baseUrls: { production: 'https://a.example/shop/v1', staging: undefined } })
  const { message } = JSON.parse((await service.get('/pets/1')).text)
  expect(message).toContain('Use GET /shop/v1/pets?status=available instead.')
})

test('a staging service uses the staging base URL', async () => {
  const baseUrls = { production: 'https://elsewhere.example/other/v1', staging: 'https://a.example/shop/v1' }
  const service = await startService({ environment: 'staging', baseUrls })
  for (let n = 0; n < 2; n++) await service.post(petBody())
  expect((await service.get('/pets?limit=1')).headers.get('Link')).toStartWith('</shop/v1/pets?')
})
