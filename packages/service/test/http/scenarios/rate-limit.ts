// PETSTORE_RATE_LIMIT: headers and rejections.

import { beforeAll, expect, test } from 'bun:test'
import type { Answer, Service } from '../../../../../test/support/service.ts'
import { bearer, describeApi, expectError, type OnStore, OPERATIONS } from './api.ts'

export function rateLimit(on: OnStore): void {
  describeApi('PETSTORE_RATE_LIMIT', on, (api) => {
    let limited: Service
    beforeAll(async () => {
      limited = await api.start({ limits: { rate: { requests: 3, periodSeconds: 60 } } })
    })

    const limits = ({ headers }: Answer) => [headers.get('RateLimit'), headers.get('RateLimit-Policy')]

    test('after the burst, every operation responds with 429 and Retry-After, and other keys are served', async () => {
      const headers = bearer(await limited.addKey())
      for (let n = 0; n < 3; n++) await limited.get('/pets', headers)
      for (const ask of OPERATIONS) {
        const [method = '', path = ''] = ask.split(' ')
        const answer = await limited.request(method, path, { headers })
        expectError(answer, 429, 'rate_limited', ['3 requests every 60 seconds'])
        const headersSent = [answer.headers.get('Retry-After'), ...limits(answer)]
        expect(headersSent).toEqual(['20', '"key";r=0;t=20', '"key";q=3;w=60'])
      }
      expect((await limited.get('/pets', bearer(await limited.addKey()))).status).toBe(200)
      limited.clock.at += 20_000
      expect((await limited.get('/pets', headers)).status).toBe(200)
      expect((await limited.get('/pets', headers)).status).toBe(429)
    })

    test('is checked after the key and before the body', async () => {
      const headers = bearer(await limited.addKey({ readOnly: true }))
      for (let n = 0; n < 5; n++) expect((await limited.request('POST', '/pets', { headers })).status).toBe(403)
      const writing = { ...bearer(await limited.addKey()), 'Content-Type': 'text/plain' }
      for (let n = 0; n < 3; n++) expect((await limited.post('x', writing)).status).toBe(415)
      expect((await limited.post('x', writing)).status).toBe(429)
    })

    test('responses have no RateLimit header without a limit', async () => {
      expect((await api.service.get('/pets')).headers.has('RateLimit')).toBe(false)
    })
  })
}
