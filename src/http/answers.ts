// What an operation answers, and how that becomes a response: exact JSON, entity tags, the headers every answer has.

import type { Once } from '../pets.ts'
import { stringifyJson } from './json.ts'

export interface Answer {
  status: 200 | 201
  json: string
  /** Of this answer alone, beside those that all with its status have. */
  headers: Record<string, string>
  /** What the log says of it, beside who asked. */
  logged?: Record<string, string>
  /** Of a 200, once it was sent. */
  tag?: string
  /** All its headers, and those of its 304: made once for an answer that is given again and again. */
  readied?: { whole: Headers; unmodified: Headers }
}

export function ok(json: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, json, headers }
}

export function created({ pet, replayed }: Once): Answer {
  return {
    status: 201,
    json: stringifyJson(pet),
    headers: replayed ? { 'Idempotency-Replayed': 'true' } : {},
    logged: { petId: String(pet.id) },
  }
}

/** On every answer: no sniffing, and nothing that a browser would run or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** What all answers of a status have, as the runtime keeps it: copying that costs less than making it anew. */
const HEADERS = {
  200: jsonHeaders('private, no-cache'),
  201: jsonHeaders('no-store'),
  304: new Headers({ ...SECURITY_HEADERS, 'Cache-Control': 'private, no-cache' }),
}

function jsonHeaders(cacheControl: string): Headers {
  return new Headers({ ...SECURITY_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': cacheControl })
}

/** The response to a request that succeeded: 304 without a body where `If-None-Match` names what would be sent. */
export function respond(request: Request, answer: Answer): Response {
  const { status, json, readied } = answer
  if (status === 200) answer.tag ??= entityTag(answer)
  if (answer.tag !== undefined && matches(request.headers.get('If-None-Match'), answer.tag)) {
    if (readied) return new Response(null, { status: 304, headers: readied.unmodified })
    return completed(new Response(null, { status: 304, headers: HEADERS[304] }), answer)
  }
  if (readied) return new Response(json, { status, headers: readied.whole })
  return completed(new Response(json, { status, headers: HEADERS[status] }), answer)
}

function completed(response: Response, { tag, headers }: Answer): Response {
  if (tag !== undefined) response.headers.set('ETag', tag)
  for (const name in headers) response.headers.set(name, headers[name] as string)
  return response
}

/** The same answer, for many. */
export function readied(answer: Answer): Answer {
  const headers = (status: 200 | 304) => completed(new Response(null, { headers: HEADERS[status] }), answer).headers
  return { ...answer, readied: { whole: headers(200), unmodified: headers(304) } }
}

/** A strong entity tag (RFC 9110, 8.8.3) of 132 bits; a page that was the last and no longer is has the same body, but a link. */
function entityTag({ json, headers }: Answer): string {
  return `"${Bun.SHA256.hash(json, 'base64url').slice(0, 22)}${headers.Link ? '+' : ''}"`
}

/** RFC 9110, 13.1.2: `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(tag)
}
