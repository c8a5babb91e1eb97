// The promises that break behind nginx and HAProxy with common settings, as listed in docs/verify.md. Skipped if a
// proxy is not installed.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { brokenOf, examine, keysOf } from '../../../test/support/examine.ts'
import { freePort } from '../../../test/support/ports.ts'
import { PROXIES, startProxy } from '../../../test/support/proxies.ts'
import { startService } from '../../../test/support/service.ts'

const OF_NGINX = ['auth.header.twice', 'pets.get.no-id.nul']
/** nginx normalizes the path when it removes a prefix. */
const OF_NGINX_WITH_PATH = [...OF_NGINX, 'paths.dot-segments', 'paths.double-slash', 'paths.encoded-letters']
const BROKEN: Record<string, Record<string, readonly string[]>> = {
  nginx: { '': OF_NGINX, '/shop': OF_NGINX_WITH_PATH },
  HAProxy: { '': [], '/shop': [] },
}

for (const proxy of PROXIES) {
  const { name, found } = proxy
  describe.skipIf(!found)(`behind ${name}${found ? '' : ' (not installed)'}`, () => {
    test.each(['', '/shop'])(`${name} breaks only known promises with the path "%s"`, async (path) => {
      const port = freePort()
      const url = `http://127.0.0.1:${port}${path}/v1`
      const service = await startService({ now: Date.now, baseUrls: { production: url, staging: undefined } })
      await startProxy(proxy, port, service.port)
      const broken = brokenOf(await examine(url, { keys: await keysOf(service), write: true }))
      expect(broken.map((line) => line.split(':')[0] ?? '').sort()).toEqual([...(BROKEN[name]?.[path] ?? [])].sort())
    })
  })
}

test('docs/verify.md lists each broken promise', () => {
  const page = readFileSync(new URL('../../../docs/verify.md', import.meta.url), 'utf8')
  for (const id of OF_NGINX_WITH_PATH) expect(page).toContain(`\`${id}\``)
})
