// What an operation answers, and how that becomes a response: exact JSON, entity tags, the headers every answer has.

import type { Once } from '../pets.ts'
import { stringifyJson } from './json.ts'

export interface Answer {
  status: number
  body: unknown
  headers: Record<string, string>
  /** What the log says of it, beside who asked. */
  logged?: Record<string, string>
  /** Made when it is first sent, and kept: an answer that is given again is not encoded again. */
  encoded?: Encoded
}

interface Encoded {
  text: string
  /** Of a 200 only. */
  tag: string | undefined
  headers: Record<string, string>
  /** The headers as the runtime keeps them. */
  readied?: Headers
  /** The headers of a 304, once one was sent. */
  unmodified?: Record<string, string>
}

export function ok(body: unknown, headers: Record<string, string> = {}): Answer {
  return { status: 200, body, headers }
}

export function created({ pet, replayed }: Once): Answer {
  return {
    status: 201,
    body: pet,
    headers: { 'Cache-Control': 'no-store', ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) },
    logged: { petId: String(pet.id) },
  }
}

/** On every answer: no sniffing, and nothing that a browser would run or frame. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The response to a request that succeeded: 304 without a body where `If-None-Match` names what would be sent. */
export function respond(request: Request, answer: Answer): Response {
  answer.encoded ??= encode(answer)
  const { text, tag, headers } = answer.encoded
  if (tag === undefined || !matches(request.headers.get('If-None-Match'), tag)) {
    return new Response(text, { status: answer.status, headers: answer.encoded.readied ?? headers })
  }
  if (!answer.encoded.unmodified) {
    const { 'Content-Type': _, ...unmodified } = headers
    answer.encoded.unmodified = unmodified
  }
  return new Response(null, { status: 304, headers: answer.encoded.unmodified })
}

/** The same answer, for many: without what its bytes were made of, and with headers that need no more reading. */
export function readied(answer: Answer): Answer {
  const encoded = answer.encoded ?? encode(answer)
  return { ...answer, body: undefined, encoded: { ...encoded, readied: new Headers(encoded.headers) } }
}

function encode({ status, body, headers }: Answer): Encoded {
  const text = stringifyJson(body)
  const all: Record<string, string> = { ...SECURITY_HEADERS, 'Content-Type': 'application/json', ...headers }
  if (status !== 200) return { text, tag: undefined, headers: all }
  // The link belongs to what is tagged: a page that was the last one and no longer is has the same body.
  const tag = entityTag(text + (headers.Link ?? ''))
  all.ETag = tag
  all['Cache-Control'] = 'private, no-cache'
  return { text, tag, headers: all }
}

/** A strong entity tag (RFC 9110, 8.8.3) of 132 bits. */
function entityTag(text: string): string {
  return `"${Bun.SHA256.hash(text, 'base64url').slice(0, 22)}"`
}

/** RFC 9110, 13.1.2: `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(tag)
}
