// Where nothing exists: programs get an Error that says what was probably meant, browsers a small page.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Service, startService } from '../../../../test/support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the message', () => {
  test.each([
    ['/pets', '/v1/pets'],
    ['/pets/', '/v1/pets'],
    ['/v1/pets/', '/v1/pets'],
    ['/v1/Pets?limit=3', '/v1/pets'],
    ['/v1//pets', '/v1/pets'],
    ['/v1', '/v1/pets'],
    ['/v1/', '/v1/pets'],
    ['/pets/42', '/v1/pets/42'],
    ['/store/inventory', '/v1/store/inventory'],
    ['/v1/orders', '/v1/store/orders'],
    ['/v1/order/7', '/v1/store/orders/7'],
    ['/orders/7/complete', '/v1/store/orders/7/complete'],
    ['/v1/inventory', '/v1/store/inventory'],
    ['/v1/pet', '/v1/pets'],
    ['/v1/pet/42', '/v1/pets/42'],
    ['/doc', '/docs'],
    ['/docs/', '/docs'],
    ['/openapi.JSON', '/openapi.json'],
  ])('of %s asks for %s', async (path, meant) => {
    for (const headers of [{}, BROWSER]) {
      if (headers === BROWSER && !path.startsWith('/v1/')) continue
      const answer = await fetch(service.origin + path, { headers })
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([404, 'application/json'])
      expect(await answer.json()).toEqual({
        code: 'not_found',
        message: `Nothing exists at this path. Did you mean ${meant}?`,
        status: 404,
      })
    }
  })

  test.each(['/animals', '/42', '/v1/store', '/v2/pets', '/pets/<b>', '/v1/pets/1/2'])(
    'of %s suggests nothing',
    async (path) => {
      const { message } = (await (await fetch(service.origin + path)).json()) as { message: string }
      expect(message).toBe('Nothing exists at this path.')
    },
  )
})

test('a browser gets a page that leads on, without anything of the path', async () => {
  const answer = await fetch(`${service.origin}/docs/?q=<script>`, { headers: BROWSER })
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([404, 'text/html;charset=utf-8'])
  expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  const html = await answer.text()
  expect(html).toContain('Did you mean <a href="/docs">/docs</a>?')
  expect(html).not.toContain('<script')
  const unknown = await (await fetch(`${service.origin}/<b>creatures`, { headers: BROWSER })).text()
  expect(unknown).not.toContain('Did you mean')
  expect(unknown).not.toContain('creatures')
  const posted = await fetch(`${service.origin}/docs/`, { method: 'POST', headers: BROWSER })
  expect(posted.headers.get('Content-Type')).toBe('application/json')
})
