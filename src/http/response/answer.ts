// What is to be sent, before it is known whether the client has it already: every operation and every page gives one of these.

import { entityTag } from './entity-tag.ts'

export type Bytes = Uint8Array<ArrayBuffer>

export interface Answer {
  readonly status: number
  readonly body: string | Bytes | null
  /** Of this answer alone. */
  readonly headers?: Readonly<Record<string, string>>
  /** Ready-made headers instead of those that the answers of its route share. */
  readonly base?: Headers
  /** The entity tag, for `If-None-Match`. */
  readonly tag?: string
  /** What the log says of a request that changed something, beside whose key it was. */
  readonly logged?: Readonly<Record<string, string>>
  /** All its headers and those of its 304, made once for an answer that is given again and again. */
  readonly prepared?: { readonly whole: Headers; readonly notModified: Headers }
}

/** `json` is what the operation reads; `link` the `Link` header, where more follows. */
export function ok(json: string, link?: string): Answer {
  const answer = { status: 200, body: json, tag: entityTag(json, link) }
  return link === undefined ? answer : { ...answer, headers: { Link: link } }
}

export function created(
  json: string,
  replayed: boolean,
  logged: Record<string, string>,
  headers: Record<string, string> = {},
): Answer {
  return {
    status: 201,
    body: json,
    logged,
    headers: replayed ? { ...headers, 'Idempotency-Replayed': 'true' } : headers,
  }
}

/** 200 after a change: nothing to keep, so it has no entity tag. */
export function changed(json: string, logged: Record<string, string>): Answer {
  return { status: 200, body: json, logged }
}

export function noContent(headers: Record<string, string> = {}, logged?: Record<string, string>): Answer {
  return { status: 204, body: null, headers, ...(logged && { logged }) }
}
