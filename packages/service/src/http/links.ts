// The targets of links to this service. A proxy can add a path prefix, which it removes from requests. The base URL
// contains the prefix, and every link repeats it, so that clients come back through the proxy.

import { basePath } from '../../../contract/src/contract.ts'

/** Returns the link target of a path such as `/v1/pets` or `/docs`. */
export type LinkTo = (path: string) => string

/** `baseUrl` ends in /v1. Without it, links are the plain paths. */
export function linksBelow(baseUrl: string | undefined): LinkTo {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.slice(0, -basePath.length)
  return (path) => prefix + path
}
