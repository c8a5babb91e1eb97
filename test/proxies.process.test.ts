// Behind nginx and HAProxy, as the system ships them: nothing hidden in a request becomes a request, nobody gets another's
// answer, no request is answered twice, and links lead back below the path that a proxy adds. Skipped where a proxy is not installed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { PetstoreClient } from '../src/client/petstore.ts'
import { CATALOGUE } from './hostile.catalogue.ts'
import { SMUGGLING } from './hostile.smuggling.ts'
import { exchange } from './support/exchange.ts'
import { temporaryFile } from './support/files.ts'
import { petBody } from './support/pets.ts'
import { type Service, startService } from './support/service.ts'

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
const haproxy = Bun.which('haproxy', { PATH: `${process.env.PATH}:/usr/sbin` })

/** What the packages' own configurations say of HTTP is nothing: these are their defaults, with connections kept open to us. */
const PROXIES = [
  {
    name: 'nginx',
    found: nginx,
    command: (file: string) => [
      nginx as string,
      '-p',
      dirname(file),
      '-e',
      '/dev/null',
      '-c',
      file,
      '-g',
      'daemon off;',
    ],
    configuration: (port: number, to: number, folder: string) => `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      worker_processes 1;
      pid ${folder}/nginx.pid;
      events {}
      http {
        access_log off; error_log /dev/null; client_body_timeout 1s; client_header_timeout 1s;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f;
        uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        upstream petstore { server 127.0.0.1:${to}; keepalive 4; }
        server {
          listen 127.0.0.1:${port};
          proxy_http_version 1.1; proxy_set_header Connection "";
          location / { proxy_pass http://petstore; }
          location /shop/ { proxy_pass http://petstore/; }
        }
      }`,
  },
  {
    name: 'HAProxy',
    found: haproxy,
    command: (file: string) => [haproxy as string, '-db', '-q', '-f', file],
    configuration: (port: number, to: number) => `
defaults
  mode http
  option http-keep-alive
  http-reuse always
  timeout connect 5s
  timeout client 1s
  timeout server 20s
frontend shop
  bind 127.0.0.1:${port}
  default_backend petstore
backend petstore
  http-request replace-path /shop(/.*) \\1
  server one 127.0.0.1:${to}
`,
  },
]

for (const { name, found, command, configuration } of PROXIES) {
  describe.skipIf(!found)(`behind ${name}${found ? '' : ' (not installed)'}`, () => {
    let service: Service
    let port: number
    let proxy: Bun.Subprocess

    beforeAll(async () => {
      port = freePort()
      service = await startService({ baseUrls: { production: `http://127.0.0.1:${port}/shop/v1`, staging: undefined } })
      const file = temporaryFile('proxy.conf')
      const folder = dirname(file)
      mkdirSync(`${folder}/body`)
      writeFileSync(file, configuration(port, service.port, folder))
      proxy = Bun.spawn(command(file), { stdio: ['ignore', 'ignore', 'inherit'] })
      while (!(await reachable(port))) await Bun.sleep(20)
    })
    afterAll(async () => {
      proxy.kill('SIGTERM')
      await proxy.exited
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
    }, 30_000)
  })
}

function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  server.stop(true)
  return server.port
}

async function reachable(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/healthz`)
    return true
  } catch {
    return false
  }
}
