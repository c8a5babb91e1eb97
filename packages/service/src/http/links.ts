// The targets of links to this service. A proxy may serve it below a path of its own, which it removes: the path of the base URL says so,
// and every link carries it, so that whoever follows one comes back through the proxy.

import { basePath } from '../../../contract/src/contract.ts'

/** The target of a link to this path of the service, such as `/v1/pets` or `/docs`. */
export type LinkTo = (path: string) => string

/** `baseUrl` ends in /v1. Without one, the links are the paths themselves. */
export function linksBelow(baseUrl: string | undefined): LinkTo {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.slice(0, -basePath.length)
  return (path) => prefix + path
}
