// A path that does not exist: the Error names the documents of the service, for browsers, too.

import { expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'

const service = await startService()

const API = 'Operations are below /v1, and described at /docs, /openapi.yaml and /openapi.json.'
const MESSAGE = `Nothing exists at this path. ${API} The page is at /`

test.each(['/animals', '/pets', '/docs/', '/v1', '/v1/', '/v1//pets', '/v2/pets', '/v1/pets/1/2', '/<script>?q=<b>'])(
  '%s is a 404 with the documents of the service and nothing of the request',
  async (path) => {
    for (const [method, accept] of [
      ['GET', '*/*'],
      ['GET', 'text/html,application/xhtml+xml,*/*;q=0.8'],
      ['POST', 'text/html'],
    ] as const) {
      const answer = await fetch(service.origin + path, { method, headers: { Accept: accept } })
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([404, 'application/json'])
      expect(await answer.json()).toEqual({ code: 'not_found', message: MESSAGE, status: 404 })
    }
  },
)
