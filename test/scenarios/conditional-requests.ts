// That what a client already has is not sent again, and that it is sent as soon as it differs.

import { beforeAll, expect, test } from 'bun:test'
import { describeApi, JSON_TYPE, type OnStore, PET } from './api.ts'

export function conditionalRequests(on: OnStore): void {
  describeApi('conditional requests', on, (api) => {
    beforeAll(async () => {
      for (let n = 0; n < 7; n++) await api.service.post(PET, JSON_TYPE)
    })

    for (const path of ['/pets?limit=5', '/pets/1']) {
      test(`${path} is not sent again while it is the same`, async () => {
        const first = await api.service.get(path)
        const etag = first.headers.get('ETag') ?? ''
        expect(etag).toMatch(/^"[\w-]{22}\+?"$/)
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
