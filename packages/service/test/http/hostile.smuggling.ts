// Requests hidden in the body of another request. `{key}` is replaced by a valid key.

import { petBody } from '../../../../test/support/pets.ts'
import { get, HEAD } from './hostile.catalogue.ts'

/** Creates a pet named `smuggled` if it is read as a request. */
const SMUGGLED_BODY = petBody({ name: 'smuggled' })
const SMUGGLED = `POST /v1/pets HTTP/1.1\r\n${HEAD}Content-Length: ${SMUGGLED_BODY.length}\r\n\r\n${SMUGGLED_BODY}`
const hidden = (headers: string, before = ''): string =>
  `POST /v1/pets HTTP/1.1\r\n${HEAD}${headers}\r\n${before}${SMUGGLED}`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
/** The length of a key, which replaces `{key}`. */
const KEY_LENGTH = 38
const size = SMUGGLED.length - '{key}'.length + KEY_LENGTH

/** Known ways to smuggle a request past a proxy. */
export const SMUGGLING: readonly [description: string, bytes: string][] = [
  ['a length, then chunks', hidden(`Content-Length: ${size + 5}\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n')],
  ['chunks, then a length', hidden(`Transfer-Encoding: chunked\r\nContent-Length: ${size + 5}\r\n`, '0\r\n\r\n')],
  ['a length of 0 and a longer one', hidden(`Content-Length: 0\r\nContent-Length: ${size}\r\n`)],
  ['a longer length and one of 0', hidden(`Content-Length: ${size}\r\nContent-Length: 0\r\n`)],
  ['a list of lengths', hidden(`Content-Length: 0, ${size}\r\n`)],
  ...': chunked|:\tchunked|:\x0bchunked|:chunked, identity|:xchunked|:chunked\r\n , x|:"chunked"|:CHUNKED| : chunked'
    .split('|')
    .map((coding): [string, string] => [
      `Transfer-Encoding${JSON.stringify(coding)} with a length`,
      hidden(`Content-Length: ${size + 5}\r\nTransfer-Encoding${coding}\r\n`, '0\r\n\r\n'),
    ]),
  ['Transfer_Encoding', hidden(`Content-Length: ${size + 5}\r\nTransfer_Encoding: chunked\r\n`, '0\r\n\r\n')],
  ['a length before a space', hidden(`Content-Length : ${size}\r\n`)],
  ['a length behind a bare CR', hidden(`X: a\rContent-Length: ${size}\r\nContent-Length: ${size}\r\n`)],
  ['a length with a plus', hidden(`Content-Length: +${size}\r\n`)],
  ['an extension with a bare LF', hidden('Transfer-Encoding: chunked\r\n', `${size.toString(16)};\n\r\n\r\n`)],
  ['a body of a GET', `GET /v1/pets HTTP/1.1\r\n${HEAD}Content-Length: ${size}\r\n\r\n${SMUGGLED}`],
  ['a body that is refused unread', `PUT /v1/pets HTTP/1.1\r\n${HEAD}Content-Length: ${size}\r\n\r\n${SMUGGLED}`],
  ['a body without a key', `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${SMUGGLED}`],
  ['a body at an unknown path', `POST /nothing HTTP/1.1\r\n${HEAD}Content-Length: ${size}\r\n\r\n${SMUGGLED}`],
  ['chunks of a GET', get('/v1/pets', `${CHUNKED}\r\n${size.toString(16)}\r\n${SMUGGLED}\r\n0\r\n`)],
  ['Expect: 100-continue, and the body at once', hidden(`Expect: 100-continue\r\nContent-Length: ${size}\r\n`)],
  ['an upgrade', hidden(`Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${size}\r\n`)],
]
