// What the contract says of an operation's life, where a reader sees it: how stable it is, and when it is removed.

import type { OpenApi, Operation } from '../http/openapi.ts'

interface Badge {
  name: string
  /** Any colour of CSS. */
  color: string
}

const STABILITY_COLOR: Record<string, string> = { stable: '#1b6136', beta: '#7c4a03', experimental: '#ab1f1a' }

/** The contract with badges at its operations, and with the page's own origin as its only server. */
export function labelled(contract: OpenApi, origin: string): object {
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

function badges(operation: Operation): Badge[] {
  const stability = operation['x-stability']
  const sunset = operation['x-deprecated-sunset']
  return [
    ...(stability ? [{ name: stability, color: STABILITY_COLOR[stability] ?? '#4c5461' }] : []),
    ...(sunset ? [{ name: `removal on ${sunset}`, color: '#ab1f1a' }] : []),
  ]
}
