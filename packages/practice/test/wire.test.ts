// The same bytes, without a fault, get the same responses from the service and through the proxy.

import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startProxy } from '../../../test/support/faulty.ts'
import { startService } from '../../../test/support/service.ts'
import { CATALOGUE, get, HEAD, post } from '../../service/test/http/hostile.catalogue.ts'
import { SMUGGLING } from '../../service/test/http/hostile.smuggling.ts'

const REX = '{"name":"Rex","categoryId":7}'
const CHUNKED = `1d\r\n${REX}\r\n0\r\n`
/** A create whose head is not complete. */
const CREATE = `POST /v1/pets HTTP/1.1\r\n${HEAD}`
const EXPECT = 'Expect: 100-continue\r\n'
const END = 'the client half-closes the connection'

/** Each part is sent when the response to the previous one starts. */
const ROWS: readonly (readonly [description: string, ...parts: string[]])[] = [
  ['a list', get('/v1/pets')],
  ['a create in chunks', `${CREATE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}\r\n`],
  ['chunks with an extension', `${CREATE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED.replace('1d', '1d;a=b')}\r\n`],
  ['chunks with a trailer', `${CREATE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}X: y\r\n\r\n`],
  ['Expect, and the body after 100', `${CREATE}Content-Length: 29\r\n${EXPECT}\r\n`, REX],
  ['Expect, and the body without waiting', post(REX, EXPECT)],
  ['Expect without a body', get('/v1/pets', EXPECT)],
  ['Expect, without a key', `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 29\r\n${EXPECT}\r\n`, REX],
  ['Expect, and a length that is too large', `${CREATE}Content-Length: 99999999\r\n${EXPECT}\r\n`],
  ['an unknown Expect', post(REX, 'Expect: tea\r\n')],
  ['HTTP/1.0', get('/v1/pets').replace('1.1', '1.0')],
  ['HTTP/1.0 without a Host', 'GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer {key}\r\n\r\n'],
  ['HTTP/1.0 with keep-alive', get('/v1/pets', 'Connection: keep-alive\r\n').replace('1.1', '1.0')],
  ['HTTP/1.2', get('/v1/pets').replace('1.1', '1.2')],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ['a lowercase method', get('/v1/pets').replace('GET', 'get')],
  ['CONNECT', `CONNECT a:80 HTTP/1.1\r\n${HEAD}\r\n`],
  ['Content-Length: abc', `${CREATE}Content-Length: abc\r\n\r\n${REX}`],
  ['the same length twice', post(REX, 'Content-Length: 29\r\n')],
  ['a head of 20 KB', get('/v1/pets', `X: ${'a'.repeat(20_000)}\r\n`)],
  ['a pipelined request', `${post(REX)}${get('/v1/pets')}`],
  ['a half-closed client', get('/v1/pets'), END],
  ['a half-closed client in a body', `${CREATE}Content-Length: 29\r\n\r\n{`, END],
  ['a half-closed client in chunks', `${CREATE}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}`, END],
  ['a half-closed client in a head', CREATE, END],
  ...CATALOGUE.map(({ description, bytes }) => [`hostile: ${description}`, bytes] as const),
  ...SMUGGLING.map(([description, bytes]) => [`smuggled: ${description}`, bytes] as const),
]
/** Sent if the connection is still open after the responses. */
const LAST = get('/v1/pets?limit=1', 'Connection: close\r\n')

const service = await startService()
const proxy = await startProxy(service.url)

/** Resolves with all bytes of the connection, without the values that differ in each response. */
function responses(url: string, parts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const waiting = [...parts.slice(1), LAST]
    const next = (bytes = waiting.shift()) => {
      if (bytes === END) socket.end()
      else if (bytes !== undefined) socket.write(Buffer.from(bytes.replaceAll('{key}', service.key), 'latin1'))
      if (waiting[0] === END) next()
    }
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
      .on('connect', () => next(parts[0]))
      .on('data', (bytes) => {
        text += bytes.toString('latin1')
        const heads = text.match(/^HTTP\/1\.1 .*?\r\n\r\n/gms)?.length ?? 0
        while (waiting.length > 0 && parts.length + 1 - waiting.length <= heads) next()
      })
      .on('error', () => undefined)
      .on('end', () => socket.end())
      .on('close', () => resolve(text.replaceAll(UNLIKE, '')))
  })
}
const UNLIKE = /(?:Date|X-Request-Id|ETag|Link|Content-Length): .*\r\n|"id":\d+|^\[.*\](?=HTTP|$)/gm

test.each(ROWS)('%s', async (_, ...parts) => {
  expect(await responses(proxy.url, parts)).toBe(await responses(service.url, parts))
})
