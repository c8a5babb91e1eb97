// Behind nginx and HAProxy, hidden requests stay hidden, every client gets its own answer, and no request gets its response
// twice. Skipped if a proxy is not installed. http/links.test.ts and test/deploy.proxies.release.test.ts test path
// prefixes.

import { beforeAll, describe, expect, test } from 'bun:test'
import { CATALOGUE } from '../packages/service/test/http/hostile.catalogue.ts'
import { SMUGGLING } from '../packages/service/test/http/hostile.smuggling.ts'
import { exchange } from './support/exchange.ts'
import { freePort } from './support/ports.ts'
import { PROXIES, startProxy } from './support/proxies.ts'
import { type Service, startService } from './support/service.ts'

for (const proxy of PROXIES) {
  const { name, found } = proxy
  describe.skipIf(!found)(`behind ${name}${found ? '' : ' (not installed)'}`, () => {
    let service: Service
    let port: number

    beforeAll(async () => {
      port = freePort()
      service = await startService()
      await startProxy(proxy, port, service.port)
    })

    const send = (bytes: string, restMs: number) => exchange(port, bytes.replaceAll('{key}', service.key), restMs)
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: { Authorization: `Bearer ${service.key}` } })

    test('a request inside a body is not read as a request', async () => {
      for (const [description, bytes] of SMUGGLING) {
        const { answers } = await send(bytes, 40)
        // After a request that is rejected with its body unread, the body can get a second, bare rejection.
        if (answers > 2) throw new Error(`${description}: ${answers} answers`)
        const names = await (await ask('/pets?limit=100')).text()
        expect({ description, smuggled: names.includes('smuggled') }).toEqual({ description, smuggled: false })
      }
    })

    test('hostile input gets at most one response and no 5xx, and the next client gets its own answer', async () => {
      for (const { description, bytes, status, code } of CATALOGUE) {
        const answer = await send(bytes, 5)
        if (answer.answers > 1) throw new Error(`${description}: ${answer.text}`)
        // The proxy rejects invalid HTTP in its own way. Valid requests must not fail.
        if ((code || status === 200) && answer.status >= 500) throw new Error(`${description}: ${answer.text}`)
      }
      expect(await Promise.all([1, 2, 3].map(async (n) => (await ask(`/pets/${n}00`)).status))).toEqual([404, 404, 404])
      expect((await ask('/pets?limit=0')).status).toBe(400)
    })
  })
}
