// Deprecated operations: headers that announce the removal (RFC 9745, RFC 8594), and the removal itself.

import type { ContractOperation, Deprecation } from '../../../../contract/src/contract.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { LinkTo } from '../context.ts'

export function deprecationHeaders({ since, sunset, successor }: Deprecation, linkTo: LinkTo): Record<string, string> {
  return {
    Deprecation: `@${since / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: deprecationLinks(successor, linkTo),
  }
}

/** `successor` is a path with the version. */
export function deprecationLinks(successor: string, linkTo: LinkTo): string {
  return `<${linkTo(successor)}>; rel="successor-version", <${linkTo('/docs')}>; rel="deprecation"; type="text/html"`
}

/** Throws `operation_removed` from the sunset date on. */
export function checkNotRemoved({ id, deprecation }: ContractOperation, now: number, linkTo: LinkTo): void {
  if (!deprecation || now < deprecation.sunset) return
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10)
  const successor = linkTo(deprecation.successor)
  throw new PetstoreError('operation_removed', `${id} was removed on ${day}. Use GET ${successor} instead.`)
}
