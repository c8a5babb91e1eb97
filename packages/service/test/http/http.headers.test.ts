// Security headers, and cross-origin access.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { petBody } from '../../../../test/support/pets.ts'
import { startService } from '../../../../test/support/service.ts'
import type { OpenApi } from '../../../contract/src/openapi.ts'

const service = await startService()
await service.post(petBody())

/** What tracing libraries add to the requests of a page (W3C Trace Context and Baggage). */
const TRACING = ['traceparent', 'tracestate', 'baggage', 'X-Request-Id']

const secured = (headers: Headers) => {
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'")
}

test('every response forbids content sniffing and scripts', async () => {
  secured((await service.get('/pets')).headers)
  secured((await service.get('/pets/1')).headers)
  secured((await service.get('/pets?limit=0')).headers)
  secured((await service.post(petBody())).headers)
  for (const one of ['GET /nothing', 'OPTIONS /v1/pets', 'GET /openapi.yaml', 'GET /healthz']) {
    const [method = '', path] = one.split(' ')
    secured((await fetch(service.origin + path, { method })).headers)
  }
})

test('no origin can read responses by default', async () => {
  const { headers } = await service.get('/pets', { Origin: 'https://shop.example' })
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

const open = await startService({ corsOrigins: ['https://shop.example'] })

test('a configured origin can read responses, including errors', async () => {
  for (const path of ['/pets', '/pets?limit=0']) {
    const { headers } = await open.get(path, { Origin: 'https://shop.example' })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://shop.example')
    expect(headers.get('Access-Control-Expose-Headers')).toContain('Idempotency-Replayed, Link')
    expect(headers.get('Vary')).toBe('Origin')
    expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
  }
})

test('a preflight request allows every header of the contract', async () => {
  const contract = readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8')
  const { components, paths } = Bun.YAML.parse(contract) as OpenApi
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const own = operations.flatMap(({ responses }) => Object.values(responses))
  const responses = [...Object.values(components.responses), ...own]
  const read = responses.flatMap((response) => ('$ref' in response ? [] : Object.keys(response.headers ?? {})))
  const sent = operations
    .flatMap(({ parameters = [] }) => parameters)
    .flatMap((one) => ('$ref' in one ? (components.parameters[one.$ref.split('/').at(-1) ?? ''] ?? []) : one))
    .flatMap((parameter) => (parameter.in === 'header' ? parameter.name : []))
  const { status, headers } = await fetch(`${open.url}/pets`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
  })
  const names = (header: string) => (headers.get(header) ?? '').split(', ')
  expect([status, headers.get('Access-Control-Max-Age')]).toEqual([204, '600'])
  expect(names('Access-Control-Allow-Methods')).toContain('POST')
  // The Fetch standard always allows pages to read Cache-Control.
  const readable = [...new Set(read)].filter((name) => name !== 'Cache-Control').sort()
  expect(names('Access-Control-Expose-Headers')).toEqual(readable)
  const allowed = ['Authorization', 'Content-Type', ...[...new Set(sent)].sort(), ...TRACING]
  expect(names('Access-Control-Allow-Headers')).toEqual(allowed)
})

test('another origin cannot read responses', async () => {
  const { headers } = await open.get('/pets', { Origin: 'https://shop.example.evil.example' })
  expect(headers.has('Access-Control-Allow-Origin')).toBe(false)
  expect(headers.get('Vary')).toBe('Origin')
})
