// W3C Trace Context: the caller's trace, for the log.

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

export interface Trace {
  traceId?: string
  parentId?: string
}

/** Empty when `traceparent` is missing or malformed: the standard requires to ignore such a header (Trace Context, 3.2.2). */
export function traceOf(headers: Headers): Trace {
  const [, traceId, parentId] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  return traceId && parentId ? { traceId, parentId } : {}
}
