// What an operation or a page gives: the content of a response, before conditional requests and common headers.

import { entityTag } from './entity-tag.ts'

export type Bytes = Uint8Array<ArrayBuffer>

export interface Answer {
  readonly status: number
  readonly body: string | Bytes | null
  /** In addition to those of the route. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the headers that the route's responses share. */
  readonly base?: Headers
  /** The ETag. With it, `If-None-Match` can give 304. */
  readonly tag?: string
  /** Fields for the log line of a change, in addition to the id of the API key. */
  readonly logged?: Readonly<Record<string, string>>
  /** All headers of the 200 and of the 304, built once for an answer that is sent many times. */
  readonly prepared?: { readonly whole: Headers; readonly notModified: Headers }
}

/** 200 with an entity tag. `link`: the `Link` header, when there is a next page. */
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
