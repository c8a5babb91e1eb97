// W3C Trace Context: which trace of the caller's a request belongs to, for the log.

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

export interface Trace {
  traceId?: string
  parentId?: string
}

/** Nothing where `traceparent` is missing or not well-formed (Trace Context, 3.2.2), as the standard wants it. */
export function traceOf(headers: Headers): Trace {
  const [, traceId, parentId] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  return traceId && parentId ? { traceId, parentId } : {}
}
