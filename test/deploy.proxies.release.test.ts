// The nginx and Caddy examples in deploy/, run unchanged except for ports, certificates and names: TLS, a path prefix,
// and rolling restarts. Skipped if a proxy is not installed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PetstoreClient } from '../packages/client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../packages/contract/src/generated.ts'
import { temporaryFile } from './support/files.ts'
import { freePort } from './support/ports.ts'
import { type Running, root, run, serve } from './support/process.ts'
import { PROXIES, startProxy } from './support/proxies.ts'

const PET = { name: 'Rex', categoryId: 7n }
const ports = [freePort(), freePort()] as const
const folder = dirname(temporaryFile('x'))
const [certificate, privateKey] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
const example = (name: string) =>
  ports.reduce(
    (text, port, index) => text.replaceAll(`127.0.0.1:808${index}`, `127.0.0.1:${port}`),
    readFileSync(join(root, 'deploy', name), 'utf8'),
  )
const [nginx] = PROXIES
const caddy = Bun.which('caddy')

const EXAMPLES: typeof PROXIES = [
  {
    ...(nginx as (typeof PROXIES)[number]),
    configuration: (port, _to, at) => {
      const site = example('nginx.conf')
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('/etc/ssl/shop.example/fullchain.pem', certificate)
        .replace('/etc/ssl/shop.example/privkey.pem', privateKey)
      const paths = 'client_body proxy fastcgi uwsgi scgi'.split(' ').map((name) => `${name}_temp_path ${at}/${name};`)
      return `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; pid ${at}/nginx.pid; events {}
        http { access_log off; error_log /dev/null; ${paths.join(' ')} ${site} }`
    },
  },
  {
    name: 'Caddy',
    found: caddy,
    command: (file) => [caddy as string, 'run', '--adapter', 'caddyfile', '--config', file],
    configuration: (port) =>
      `{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\toutput discard\n\t}\n}\n${example(
        'Caddyfile',
      ).replace('shop.example {', `https://127.0.0.1:${port} {\n\ttls ${certificate} ${privateKey}`)}`,
  },
]

beforeAll(async () => {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes']
  const files = ['-keyout', privateKey, '-out', certificate]
  await run(['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...subject, ...files], {
    command: ['openssl'],
  })
})

for (const proxy of EXAMPLES) {
  const found = proxy.found && Bun.which('openssl')
  describe.skipIf(!found)(`behind ${proxy.name}${found ? '' : ': skipped, it or openssl is not installed'}`, () => {
    const database = temporaryFile('petstore.db')
    const port = freePort()
    const shop = `https://127.0.0.1:${port}/shop`
    const tls = () => ({ tls: { ca: readFileSync(certificate, 'utf8') } })
    const through = (url: string, init?: RequestInit) => fetch(url, { ...init, ...tls() })
    let services: Running[]
    let client: PetstoreClient
    let key: string
    const startOn = (at: number) =>
      serve(['--database', database, '--port', String(at)], { env: { PETSTORE_BASE_URL: `${shop}/v1` } })

    beforeAll(async () => {
      services = [await startOn(ports[0]), await startOn(ports[1])]
      key = services[0]?.key as string
      await startProxy(proxy, port, ports[0])
      client = new PetstoreClient({ baseUrl: `${shop}/v1`, apiKey: key, retries: 0, fetch: through })
    })
    afterAll(async () => {
      for (const service of services) await service.stop()
    })

    test('links and the redirect of the prefix have the path prefix', async () => {
      for (let n = 0; n < 3; n++) await client.createPet(PET)
      expect(await Array.fromAsync(client.listPets({ limit: 1 }))).toHaveLength(3)
      const headers = { Authorization: `Bearer ${key}` }
      const first = await through(`${shop}/v1/pets?limit=1`, { headers })
      const [, next = ''] = /<(.*)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
      expect(next).toStartWith('/shop/v1/pets?')
      const page = await through(shop)
      expect([page.status, page.url]).toEqual([200, `${shop}/`])
    })

    test('the links of the longest search pass', async () => {
      const name = '𠀀'.repeat(TEXT_LENGTH_MAX)
      for (let n = 0; n < 3; n++) await client.createPet({ name, categoryId: -(2n ** 63n), status: 'available' })
      const query = { limit: '1', status: 'available', categoryId: String(-(2n ** 63n)), search: name, sort: 'newest' }
      const headers = { Authorization: `Bearer ${key}` }
      let link = `${shop}/v1/pets?${new URLSearchParams(query)}`
      for (let n = 0; n < 2; n++) {
        const page = await through(link, { headers })
        expect(page.status).toBe(200)
        link = new URL(/<(.*?)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1] as string, shop).href
      }
    })

    const onNginx = test.if(proxy.name === 'nginx')
    onNginx('a page file that only one server has is found, as during an upgrade', async () => {
      const page = await through(`${shop}/`)
      const [script] = /console\/[\w-]+\.js/.exec(await page.text()) ?? []
      await services[1]?.stop()
      const paths: string[] = []
      const older = Bun.serve({
        hostname: '127.0.0.1',
        port: ports[1],
        fetch({ url }) {
          paths.push(new URL(url).pathname)
          return new Response('', { status: 404 })
        },
      })
      const statusOf = async (path: string) => (await through(`${shop}/${path}`)).status
      const answers = []
      for (let n = 0; n < 4; n++) answers.push(await statusOf(script as string))
      // The path is encoded again, so that it cannot end the request line.
      const hostile = 'docs/a%20b%0D%0AX:%20y'
      const hostileAnswers = [await statusOf(hostile), await statusOf(hostile)]
      await older.stop(true)
      const unknown = []
      for (let n = 0; n < 4; n++) unknown.push(await statusOf(n % 2 ? 'console/none.js' : 'docs/none.js'))
      services[1] = await startOn(ports[1])
      expect(answers).toEqual([200, 200, 200, 200])
      expect([...hostileAnswers, ...unknown]).toEqual([404, 404, 404, 404, 404, 404])
      expect(paths).toContain(`/${hostile}`)
    })

    test('a rolling restart is invisible to a client without retries', async () => {
      const before = (await client.getInventory()).available
      const failures: string[] = []
      const noted = (error: Error) => void failures.push(`${error.name}: ${error.message}`)
      let [restarting, added] = [true, 0n]
      const clerks = Promise.all(
        [1, 2, 3, 4].map(async () => {
          while (restarting) {
            await client.createPet(PET).then(() => added++, noted)
            await client.listPage({ limit: 100 }).catch(noted)
          }
        }),
      )
      const restarts = async () => {
        // Restart one at a time.
        for (const index of [0, 1, 0, 1] as const) {
          await services[index]?.stop()
          // Some requests reach the stopped server.
          await Bun.sleep(300)
          services[index] = await startOn(ports[index])
        }
        restarting = false
      }
      await Promise.all([restarts(), clerks])
      expect(failures).toEqual([])
      expect(added).toBeGreaterThan(10n)
      expect((await client.getInventory()).available).toBe(before + added)
    })
  })
}
