// Answers and responses. An answer is what an operation or a page gives: the content, before conditional requests and common headers.
// Every response of the service is built here from an answer: its status (200 or 304), and its headers.

import { wallMs } from '../../system/runtime.ts'
import type { Context } from '../context.ts'
import { entityTag, matches } from './conditions.ts'

/** Who waits for an answer. */
export interface Reader {
  /** Aborted when the client has gone away. */
  readonly signal: AbortSignal
  /** Rejects when the reader's key is refused by now. */
  verify(): Promise<void>
}

export interface Answer {
  readonly status: number
  /** Text is copied for each connection that does not read, and is short. A file is a Blob, which is not copied. */
  readonly body: string | Blob | null
  /** In addition to those of the route. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the headers that the route's responses share. */
  readonly base?: Headers
  /** The ETag. With it, `If-None-Match` can give 304. */
  readonly tag?: string
  /** Gives the answer that is sent instead, unless the request is a HEAD: later, maybe after many seconds. */
  readonly later?: (reader: Reader) => Promise<Answer>
  /** Fields for the log line of a change, in addition to the id of the API key. */
  readonly logged?: Readonly<Record<string, string>>
  /** All headers of the 200 and of the 304, built once for an answer that is sent many times. */
  readonly prepared?: { readonly whole: Headers; readonly notModified: Headers }
}

/** 200 with an entity tag. `links`: the `Link` header, when there are other pages. */
export function ok(json: string, links?: string): Answer {
  const answer = { status: 200, body: json, tag: entityTag(json, links) }
  return links === undefined ? answer : { ...answer, headers: { Link: links } }
}

/** 201 with the entity tag that a GET gives at first; a replay has that of the answer that it repeats. */
export function created(
  json: string,
  replayed: boolean,
  logged: Record<string, string>,
  headers: Record<string, string> = {},
): Answer {
  const repeated = replayed ? { 'Idempotency-Replayed': 'true' } : {}
  return { status: 201, body: json, logged, headers: { ...headers, ...repeated, ETag: entityTag(json) } }
}

/** 200 after a change, with the entity tag that a GET gives from now on: no condition of this request is about it. */
export function changed(json: string, logged: Record<string, string>): Answer {
  return { status: 200, body: json, logged, headers: { ETag: entityTag(json) } }
}

export function noContent(headers: Record<string, string> = {}, logged?: Record<string, string>): Answer {
  return { status: 204, body: null, headers, ...(logged && { logged }) }
}

/** 304 without a body when `If-None-Match` contains the answer's tag (RFC 9110, 13.1.2). */
export function toResponse(answer: Answer, context: Context): Response {
  const { status, body, prepared, tag } = answer
  const { request } = context
  const unchanged = tag !== undefined && matches(request.headers.get('If-None-Match'), tag)
  const headers = prepared ? (unchanged ? prepared.notModified : prepared.whole) : baseOf(answer, context)
  const response = unchanged ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers })
  if (!prepared) addOwn(response.headers, answer, unchanged)
  if (context.requestId !== undefined) response.headers.set('X-Request-Id', context.requestId)
  // An origin server with a clock must send Date (RFC 9110, 6.6.1). Bun adds it to every response except those to HEAD.
  if (request.method === 'HEAD') response.headers.set('Date', new Date(wallMs()).toUTCString())
  return response
}

/** The same answer with all its headers, to be sent many times. */
export function prepare(answer: Answer, context: Context): Answer {
  const [whole, notModified] = [new Headers(baseOf(answer, context)), new Headers(baseOf(answer, context))]
  addOwn(whole, answer, false)
  addOwn(notModified, answer, true)
  return { ...answer, prepared: { whole, notModified } }
}

function baseOf({ body, base, tag }: Answer, { headers }: Context): Headers {
  if (base) return base
  if (tag !== undefined) return headers.read
  return body === null ? headers.empty : headers.other
}

function addOwn(all: Headers, { tag, headers }: Answer, unchanged: boolean): void {
  if (tag !== undefined) all.set('ETag', tag)
  for (const name in headers) all.set(name, headers[name] as string)
  if (unchanged) for (const name of ['Content-Type', 'Content-Encoding']) all.delete(name)
}
