// That what a client already has is not sent again, and that it is sent as soon as it differs.

import { beforeAll, expect, test } from 'bun:test'
import { type Api, describeApi, expectError, JSON_TYPE, type OnStore, PET } from './api.ts'

export function conditionalRequests(on: OnStore): void {
  describeApi('conditional requests', on, (api) => {
    beforeAll(async () => {
      for (let n = 0; n < 7; n++) await api.service.post(PET, JSON_TYPE)
    })

    for (const path of ['/pets?limit=5', '/pets/1']) {
      test(`${path} is not sent again while it is the same`, async () => {
        const first = await api.service.get(path)
        const etag = first.headers.get('ETag') ?? ''
        expect(etag).toMatch(/^"[\w-]{22}"$/)
        expect(first.headers.get('Cache-Control')).toBe('private, no-cache')
        for (const condition of [etag, `W/${etag}`, `"a,b", ${etag}`, '*']) {
          const again = await api.service.get(path, { 'If-None-Match': condition })
          expect(again.status).toBe(304)
          expect(again.headers.get('ETag')).toBe(etag)
          expect(again.headers.get('Link')).toBe(first.headers.get('Link'))
        }
        for (const condition of ['"x"', etag.slice(1, -1), '']) {
          expect((await api.service.get(path, { 'If-None-Match': condition })).status).toBe(200)
        }
      })
    }

    for (const path of ['/pets?limit=5', '/pets/1']) {
      test(`${path} is sent only if it has the tag that is asked for: else 412`, async () => {
        // The second time a list is answered from memory.
        for (const _ of [1, 2, 3]) {
          const tag = (await api.service.get(path)).headers.get('ETag') ?? ''
          await expectIfMatch(api, path, tag)
        }
      })
    }

    test('a precondition does not change another refusal', async () => {
      const wrong = { 'If-Match': '"x"' }
      expectError(await api.service.get('/pets?limit=0', wrong), 400, 'invalid_parameter', [])
      expectError(await api.service.get('/pets/999', wrong), 404, 'not_found', [])
      expectError(await api.service.get('/pets', { ...wrong, Authorization: '' }), 401, 'missing_api_key', [])
    })

    test('adding a pet has no preconditions', async () => {
      const answer = await api.service.post(PET, { ...JSON_TYPE, 'If-Match': '"x"', 'If-None-Match': '*' })
      expect(answer.status).toBe(201)
    })

    test('a last page that is no longer the last has another tag', async () => {
      const count = (await api.service.get('/pets?limit=100')).text.split('"id"').length - 1
      expect(count).toBeLessThan(100)
      const before = await api.service.get(`/pets?limit=${count}`)
      await api.service.post(PET, JSON_TYPE)
      const after = await api.service.get(`/pets?limit=${count}`, { 'If-None-Match': before.headers.get('ETag') ?? '' })
      expect(after.status).toBe(200)
      expect(after.text).toBe(before.text)
      expect(after.headers.has('Link')).toBe(true)
    })
  })
}

/** Every answer to a GET of `path`, which has the tag now, with `If-Match`. */
export async function expectIfMatch({ service }: Api, path: string, tag: string): Promise<void> {
  for (const condition of [tag, `"x", ${tag}`, '*']) {
    expect((await service.get(path, { 'If-Match': condition })).status).toBe(200)
    // What `If-Match` allows, `If-None-Match` may still find unchanged (RFC 9110, 13.2.2).
    expect((await service.get(path, { 'If-Match': condition, 'If-None-Match': tag })).status).toBe(304)
  }
  for (const condition of ['"x"', `W/${tag}`, tag.slice(1, -1), '']) {
    const headers = { 'If-Match': condition, 'If-None-Match': tag }
    expectError(await service.get(path, headers), 412, 'precondition_failed', ['If-Match'])
    const head = await service.request('HEAD', path, { headers })
    expect([head.status, head.text, head.headers.has('ETag')]).toEqual([412, '', false])
  }
}
