// Hostile input: each row has the bytes of one connection (one character is one byte). `{key}` is replaced by a valid
// key. A row with a code gets an Error body; without one, the HTTP layer answers without a body and closes the
// connection. The tests of the contract have more invalid values.

import { petBody } from '../../../../test/support/pets.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { BODY_BYTES_MAX } from '../../../contract/src/limits.ts'

interface Row {
  description: string
  bytes: string
  status: number
  code?: string
}

/** The header fields that every request needs. */
export const HEAD = 'Host: a\r\nAuthorization: Bearer {key}\r\n'

export const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${HEAD}${headers}\r\n`
export const post = (body: string, headers = ''): string =>
  `POST /v1/pets HTTP/1.1\r\n${HEAD}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
const row =
  (status: number, code?: string) =>
  (description: string, bytes: string): Row => ({ description, bytes, status, ...(code ? { code } : {}) })

const TOO_LONG = ' '.repeat(BODY_BYTES_MAX + 1)

const parameter = row(400, 'invalid_parameter')
const missing = row(404, 'not_found')
const malformed = row(400, 'malformed_json')
const noPet = row(400, 'invalid_pet')
const noType = row(415, 'unsupported_media_type')
const noKey = row(401, 'missing_api_key')
const badKey = row(401, 'invalid_api_key')
const noMethod = row(405, 'method_not_allowed')
const taken = row(200)
const bare = row(400)
const version = row(505)
const tooMuch = row(431)
const tooLarge = row(413, 'body_too_large')

const VALUES =
  "limit=%00 limit=20'-- limit=20%0d%0aX:y limit=%zz status=sold'%20OR%201=1 cursor=../../etc/passwd".split(' ')
const IDS = "%00 ..%2f1 1; 1' %ff 1%2f ٣".split(' ')
const PATHS = [
  '/v1 /v1/ /v1/pets/ //v1/pets /v1//pets /v1/./pets /v1/x/../pets /V1/pets /v1/PETS /v1/pets;a=b /v1/pets/1/2',
  '/v1/pets%2f1 /v1%2fpets /v1/pets%00 /v1/%70ets /v1/pets.json /index.html /console /pets /v1/pets/1/ /metrics',
  '//evil.example/v1/pets /v1/pets/.. /v1/pets/1%2F2 /../../../../etc/passwd /%2e%2e/%2e%2e/etc/passwd /openapi.yaml/',
  '/openapi.YAML /healthz/.. /.git/config /package.json /data/petstore.db /__proto__ /constructor /v1/pets/1#x',
  '/\\v1\\pets',
].flatMap((paths) => paths.split(' '))

/** A create with these headers instead of a length. */
const framed = (headers: string, body: string) => `POST /v1/pets HTTP/1.1\r\n${HEAD}${headers}\r\n\r\n${body}`
const chunked = (body: string) => framed('Transfer-Encoding: chunked', body)

const QUERIES: Row[] = [
  ...VALUES.map((value) => parameter(value, get(`/v1/pets?${value}`))),
  parameter('a long cursor', get(`/v1/pets?cursor=${'A'.repeat(5000)}`)),
  taken('unknown parameters', get('/v1/pets?__proto__=1&constructor=2&limit[x]=3&Limit=0')),
  taken('a query of separators', get(`/v1/pets?${'&=?'.repeat(500)}`)),
  taken('a thousand parameters', get(`/v1/pets?${'a=1&'.repeat(1000)}`)),
  taken('bytes that are no UTF-8', get('/v1/pets?x=\xff\xfe')),
  taken('a long query', get(`/v1/pets?x=${'a'.repeat(12_000)}`)),
]

const TARGETS: Row[] = [
  ...IDS.map((id) => missing(`the id ${id}`, get(`/v1/pets/${id}`))),
  ...PATHS.map((path) => missing(`the path ${path}`, get(path))),
  taken('an absolute target', get('http://a/v1/pets')),
  missing('an absolute target elsewhere', get('http://a/admin')),
  bare('a target that is *', get('*')),
  bare('a target without a slash', get('v1/pets')),
  version('a space in the target', get('/v1/pe ts')),
  version('U+0000 in the target', get('/v1/pets\0')),
  tooMuch('a target of 100 kB', get(`/v1/${'a'.repeat(100_000)}`)),
]

const METHODS: Row[] = [
  ...['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK', 'PURGE'].map((method) =>
    noMethod(method, `${method} /v1/pets HTTP/1.1\r\n${HEAD}\r\n`),
  ),
  missing('CONNECT to a host', `CONNECT a:443 HTTP/1.1\r\n${HEAD}\r\n`),
  noMethod('X-HTTP-Method-Override is ignored', `PUT /v1/pets HTTP/1.1\r\n${HEAD}X-HTTP-Method-Override: GET\r\n\r\n`),
]

const withKey = (key: string) => `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`
const KEYS: Row[] = [
  ...['Bearer\t{key}', 'Bearer={key}', ','].map((value) =>
    noKey(JSON.stringify(value), `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${value}\r\n\r\n`),
  ),
  ...[
    `{key}x|{key} {key}|{key},|"{key}"|{key}=|x|pets_live_|pets_test_{key}|null|*|' OR 1=1--|../../data/petstore.db`,
    `pets_live_${'A'.repeat(28)}|pets_live_${'A'.repeat(8000)}|%70ets|\xff\xfe`,
  ]
    .flatMap((keys) => keys.split('|'))
    .map((key) => badKey(`the key ${key.slice(0, 30)}`, withKey(key))),
  badKey('two Authorization lines', get('/v1/pets', 'Authorization: Bearer {key}\r\n')),
]

const BODIES: Row[] = [
  ...`| |{|}|[|{"name":}|{"name":"a"|{"name":"a",}|{'name':'a'}|nul|NaN|\0|{}{}|{} x`
    .concat('|\xef\xbb\xbf{}|{"a":1,"a":2}|{"a":"\t"}|{"a":"\\x"}|{"a":01}|{"a":1.}|{"a":+1}|{"a":.5}|/**/{}')
    .split('|')
    .map((body) => malformed(`the body ${JSON.stringify(body)}`, post(body))),
  malformed('arrays 10 000 deep', post('['.repeat(10_000))),
  malformed('objects 5 000 deep, closed', post('{"a":'.repeat(5_000) + 1 + '}'.repeat(5_000))),
  noPet('only __proto__', post('{"__proto__":{"name":"a","categoryId":1}}')),
  tooLarge('a body of one byte too many', post(TOO_LONG)),
  tooLarge('a length of 1 TB', framed('Content-Length: 1000000000000', '{')),
  tooLarge('a chunk of one byte too many', chunked(`${TOO_LONG.length.toString(16)}\r\n${TOO_LONG}\r\n0\r\n\r\n`)),
]

const HEADERS: Row[] = [
  ...'text/plain|application/jsonp|json|*/*|application/json, text/plain|;|application/json;charset=latin1'
    .split('|')
    .map((type) => noType(`Content-Type: ${type}`, post('{}', `Content-Type: ${type}\r\n`))),
  ...['gzip', 'deflate', 'br', 'identity', ''].map((coding) =>
    noType(`Content-Encoding: ${coding}`, post('{}', `Content-Encoding: ${coding}\r\n`)),
  ),
  noType('two Content-Type lines', post('{}', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n')),
  ...['""', '"', '"a', 'a b', 'a,b', `"${'a'.repeat(TEXT_LENGTH_MAX + 1)}"`, '"\xff"', '"a","b"'].map((key) =>
    parameter(`Idempotency-Key: ${key.slice(0, 20)}`, post(petBody(), `Idempotency-Key: ${key}\r\n`)),
  ),
  ...['W/', '"', `"${'a'.repeat(5000)}"`, '*x', ',,,'].map((tag) =>
    taken(`If-None-Match: ${tag.slice(0, 20)}`, get('/v1/pets', `If-None-Match: ${tag}\r\n`)),
  ),
  taken('WebSocket', get('/v1/pets', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n')),
  taken('h2c', get('/v1/pets', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n')),
  taken('Range and friends', get('/v1/pets', 'Range: bytes=0-0,1-1,2-2\r\nIf-Range: x\r\nTE: trailers\r\n')),
  taken('forwarding', get('/v1/pets', 'X-Forwarded-Host: evil\r\nX-Original-URL: /admin\r\nX-Forwarded-For: ::1\r\n')),
  parameter('two Host lines', `GET /v1/pets HTTP/1.1\r\nHost: b\r\n${HEAD}\r\n`),
  bare('no Host', 'GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\r\n'),
  tooMuch('200 header lines', get('/v1/pets', 'x: y\r\n'.repeat(200))),
  tooMuch('a header of 70 kB', get('/v1/pets', `x: ${'y'.repeat(70_000)}\r\n`)),
  tooMuch('a header name of 70 kB', get('/v1/pets', `${'y'.repeat(70_000)}: x\r\n`)),
]

/** Rows of the runtime's parser, which would show that a new version of it accepts more. */
const FRAMING: Row[] = [
  bare('a header with U+0000 in a value', get('/v1/pets', 'X: a\0b\r\n')),
  bare('a header with a space before the colon', get('/v1/pets', 'X : a\r\n')),
  bare('a folded header', get('/v1/pets', 'X: a\r\n b\r\n')),
  bare('a negative length', framed('Content-Length: -1', '{}')),
  bare('a length with a sign', framed('Content-Length: +2', '{}')),
  bare('lengths that differ', framed('Content-Length: 2\r\nContent-Length: 3', '{}x')),
  bare('another coding', framed('Transfer-Encoding: xchunked', '0\r\n\r\n')),
  bare('a length and chunks', framed('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')),
  bare('a chunk with a size beyond 64 bits', chunked('ffffffffffffffffff\r\n{}\r\n0\r\n\r\n')),
  bare('a chunk with more data than its size', chunked('1\r\n{}\r\n0\r\n\r\n')),
  bare('a trailer of a chunked body', chunked('2\r\n{}\r\n0\r\nX: y\r\n\r\n')),
  version('lines that end in LF', 'GET /v1/pets HTTP/1.1\nHost: a\n\n'),
  version('HTTP/0.9', 'GET /v1/pets\r\n\r\n'),
]

export const CATALOGUE: readonly Row[] = [QUERIES, TARGETS, METHODS, KEYS, BODIES, HEADERS, FRAMING].flat()
