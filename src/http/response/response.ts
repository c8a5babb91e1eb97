// Builds every response of the service from an answer: its status (200 or 304), and its headers.

import type { Context } from '../context.ts'
import type { Answer } from './answer.ts'
import { matches } from './entity-tag.ts'

/** On every response: browsers must not guess its type, run it or frame it. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The headers that responses of a route share. Copying a Headers object costs less than building one. */
export interface SharedHeaders {
  /** Of a 200 and its 304. */
  readonly read: Headers
  /** Of every other response with a JSON body. */
  readonly other: Headers
  /** Of a response without a body. */
  readonly empty: Headers
}

export function sharedHeaders(ofRoute: Record<string, string> = {}): SharedHeaders {
  const always = { ...SECURITY_HEADERS, ...ofRoute }
  const json = { ...always, 'Content-Type': 'application/json' }
  return {
    read: new Headers({ ...json, 'Cache-Control': 'private, no-cache' }),
    other: new Headers({ ...json, 'Cache-Control': 'no-store' }),
    empty: new Headers(always),
  }
}

const NO_ROUTE = sharedHeaders()

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
  if (request.method === 'HEAD') response.headers.set('Date', new Date().toUTCString())
  return response
}

/** The same answer with all its headers, to be sent many times. */
export function prepare(answer: Answer, context: Context): Answer {
  const [whole, notModified] = [new Headers(baseOf(answer, context)), new Headers(baseOf(answer, context))]
  addOwn(whole, answer, false)
  addOwn(notModified, answer, true)
  return { ...answer, prepared: { whole, notModified } }
}

function baseOf({ body, base, tag }: Answer, { route }: Context): Headers {
  if (base) return base
  const shared = route?.headers ?? NO_ROUTE
  if (tag !== undefined) return shared.read
  return body === null ? shared.empty : shared.other
}

function addOwn(all: Headers, { tag, headers }: Answer, unchanged: boolean): void {
  if (tag !== undefined) all.set('ETag', tag)
  for (const name in headers) all.set(name, headers[name] as string)
  if (unchanged) for (const name of ['Content-Type', 'Content-Encoding']) all.delete(name)
}
