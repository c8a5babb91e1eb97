// What an operation answers, and how that becomes a response: exact JSON, entity tags, the headers every answer has.

import type { Once } from '../../domain/pets.ts'
import { stringifyJson } from '../../json/json.ts'

export interface Answer {
  status: 200 | 201
  json: string
  /** Of all answers of its kind, as the runtime keeps them: copying those costs less than making them anew. */
  shared: Headers
  /** Of this answer alone. */
  headers: Record<string, string>
  /** What the log says of it, beside who asked. */
  logged?: Record<string, string>
  /** Of a 200, once it was sent. */
  tag?: string
  /** All its headers, and those of its 304: made once for an answer that is given again and again. */
  readied?: { whole: Headers; unmodified: Headers }
}

export function ok(json: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, json, shared: OK, headers }
}

export function created({ pet, replayed }: Once): Answer {
  return {
    status: 201,
    json: stringifyJson(pet),
    shared: CREATED,
    headers: replayed ? { 'Idempotency-Replayed': 'true' } : {},
    logged: { petId: String(pet.id) },
  }
}

/** On every answer: no sniffing, and nothing that a browser would run or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

const JSON_HEADERS = { ...SECURITY_HEADERS, 'Content-Type': 'application/json' }
const CREATED = new Headers({ ...JSON_HEADERS, 'Cache-Control': 'no-store' })
const OK = okHeaders()

/** What all 200 share, and `more`. */
export function okHeaders(more: Record<string, string> = {}): Headers {
  return new Headers({ ...JSON_HEADERS, 'Cache-Control': 'private, no-cache', ...more })
}

/** The response to a request that succeeded: 304 without a body where `If-None-Match` names what would be sent. */
export function respond(request: Request, answer: Answer): Response {
  const { status, json, readied } = answer
  if (status === 200) answer.tag ??= entityTag(answer)
  if (answer.tag !== undefined && matches(request.headers.get('If-None-Match'), answer.tag)) {
    return new Response(null, { status: 304, headers: readied?.unmodified ?? unmodified(answer) })
  }
  if (readied) return new Response(json, { status, headers: readied.whole })
  const response = new Response(json, { status, headers: answer.shared })
  complete(response.headers, answer)
  return response
}

function complete(all: Headers, { tag, headers }: Answer): Headers {
  if (tag !== undefined) all.set('ETag', tag)
  for (const name in headers) all.set(name, headers[name] as string)
  return all
}

function unmodified(answer: Answer): Headers {
  const all = complete(new Headers(answer.shared), answer)
  all.delete('Content-Type')
  return all
}

/** The same answer, for many. */
export function readied(answer: Answer): Answer {
  const whole = complete(new Headers(answer.shared), answer)
  return { ...answer, readied: { whole, unmodified: unmodified(answer) } }
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
