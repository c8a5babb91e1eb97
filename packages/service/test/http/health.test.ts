// /healthz and /readyz, which need no key. That a server that stops is not ready stands in http.test.ts.

import { expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'

const service = await startService()

test.each([
  ['/healthz', '{"status":"ok"}'],
  ['/readyz', '{"status":"ready"}'],
])('%s answers 200 %s', async (path, body) => {
  const answer = await fetch(service.origin + path)
  expect([answer.status, answer.headers.get('Content-Type'), await answer.text()]).toEqual([
    200,
    'application/json',
    body,
  ])
})

test('where the store does not answer, /readyz fails, and /healthz does not', async () => {
  const broken = await startService({
    store: { ...service.store, ping: () => Promise.reject(new Error('gone')) },
  })
  expect((await fetch(`${broken.origin}/readyz`)).status).toBe(500)
  expect((await fetch(`${broken.origin}/healthz`)).status).toBe(200)
  await broken.server.stop(1_000)
})
