// Behind nginx and HAProxy, as the system ships them: nothing hidden in a request becomes a request, nobody gets another's
// answer, no request is answered twice, and links lead back below the path that a proxy adds. Skipped where a proxy is not installed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PetstoreClient } from '../packages/client/src/petstore.ts'
import { CATALOGUE } from '../packages/service/test/http/hostile.catalogue.ts'
import { SMUGGLING } from '../packages/service/test/http/hostile.smuggling.ts'
import { exchange } from './support/exchange.ts'
import { petBody } from './support/pets.ts'
import { freePort } from './support/ports.ts'
import { PROXIES, type RunningProxy, startProxy } from './support/proxies.ts'
import { type Service, startService } from './support/service.ts'

for (const proxy of PROXIES) {
  const { name, found } = proxy
  describe.skipIf(!found)(`behind ${name}${found ? '' : ' (not installed)'}`, () => {
    let service: Service
    let port: number
    let running: RunningProxy

    beforeAll(async () => {
      port = freePort()
      service = await startService({ baseUrls: { production: `http://127.0.0.1:${port}/shop/v1`, staging: undefined } })
      running = await startProxy(proxy, port, service.port)
    })
    afterAll(async () => {
      await running.stop()
      await service.stop()
    })

    const send = (bytes: string, restMs: number) => exchange(port, bytes.replaceAll('{key}', service.key), restMs)
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: { Authorization: `Bearer ${service.key}` } })

    test('below a path that the proxy removes, links lead to the next page, to an order, and to the files of the pages', async () => {
      const shop = `http://127.0.0.1:${port}/shop`
      const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' }
      for (let n = 0; n < 3; n++) await fetch(`${shop}/v1/pets`, { method: 'POST', headers, body: petBody() })
      const client = new PetstoreClient({ baseUrl: `${shop}/v1`, apiKey: service.key })
      expect(await Array.fromAsync(client.listPets({ limit: 1 }))).toHaveLength(3)
      const first = await fetch(`${shop}/v1/pets?limit=1`, { headers })
      const order = await fetch(`${shop}/v1/store/orders`, { method: 'POST', headers, body: '{"petId":1}' })
      const [, next = ''] = /<(.*)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
      for (const target of [next, order.headers.get('Location') ?? '']) {
        expect((await fetch(new URL(target, first.url), { headers })).status).toBe(200)
      }
      for (const page of [`${shop}/`, `${shop}/docs`]) {
        const [, script = ''] = /<script [^>]*src="([^"]*)"/.exec(await (await fetch(page)).text()) ?? []
        expect((await fetch(new URL(script, page))).status).toBe(200)
      }
    })

    test('a request inside a body is not read as a request', async () => {
      for (const [description, bytes] of SMUGGLING) {
        const { answers } = await send(bytes, 40)
        // A request that is refused with its body unread may be followed by a bare refusal of that body.
        if (answers > 2) throw new Error(`${description}: ${answers} answers`)
        const names = await (await ask('/pets?limit=100')).text()
        expect({ description, smuggled: names.includes('smuggled') }).toEqual({ description, smuggled: false })
      }
    })

    test('hostile input gets at most one answer and no failure, and the next client gets its own answer', async () => {
      for (const { description, bytes, status, code } of CATALOGUE) {
        const answer = await send(bytes, 5)
        if (answer.answers > 1) throw new Error(`${description}: ${answer.text}`)
        // What is no HTTP the proxy refuses in its own way; the rest must not fail for having a proxy in front.
        if ((code || status === 200) && answer.status >= 500) throw new Error(`${description}: ${answer.text}`)
      }
      expect(await Promise.all([1, 2, 3].map(async (n) => (await ask(`/pets/${n}00`)).status))).toEqual([404, 404, 404])
      expect((await ask('/pets?limit=0')).status).toBe(400)
    })
  })
}
