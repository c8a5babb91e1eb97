// Shows the contract's lifecycle data as badges: how stable an operation is, and when it will be removed.

import type { OpenApi, Operation } from '../contract/openapi.ts'

/** The contract with badges at its operations, and with the page's own origin as its only server. */
export function withBadges(contract: OpenApi, origin: string): object {
  const paths = Object.entries(contract.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, { ...operation, 'x-badges': badges(operation) }]),
    ),
  ])
  const base = new URL(contract.servers[0]?.url ?? '').pathname
  return {
    ...contract,
    paths: Object.fromEntries(paths),
    servers: [{ url: origin + base.slice(base.lastIndexOf('/')), description: 'This service' }],
  }
}

/** Badges have no colours of their own: the library's are readable in both themes. */
function badges(operation: Operation): { name: string }[] {
  const stability = operation['x-stability']
  const sunset = operation['x-deprecated-sunset']
  return [...(stability ? [{ name: stability }] : []), ...(sunset ? [{ name: `removal on ${sunset}` }] : [])]
}
