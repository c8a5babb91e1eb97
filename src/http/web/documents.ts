// What is served beside the operations, outside /v1 and without a key: the contract, and whether the service is well.

import { contractFor } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { Answer } from '../response/answer.ts'
import { SECURITY_HEADERS } from '../response/response.ts'
import { type Endpoint, Route } from '../route.ts'
import { StaticFile } from './static-file.ts'

export interface Wellbeing {
  /** Rejects when the store cannot answer. */
  ping: () => Promise<void>
  /** True once the service has begun to stop. */
  draining: () => boolean
  /** The addresses of the contract's servers, in its order. */
  addresses: () => readonly (string | undefined)[]
}

export function documents({ ping, draining, addresses }: Wellbeing): Route[] {
  // Made when it is first asked for: the addresses are known only once the server listens.
  let made: Record<'yaml' | 'json', StaticFile> | undefined
  function contract() {
    if (made) return made
    const { yaml, json } = contractFor(addresses())
    made = { yaml: revalidated(yaml, 'application/yaml'), json: revalidated(json, 'application/json') }
    return made
  }
  return [
    page('/openapi.yaml', ({ request }) => contract().yaml.answer(request, SECURITY_HEADERS)),
    page('/openapi.json', ({ request }) => contract().json.answer(request, SECURITY_HEADERS)),
    // The process runs and answers.
    page('/healthz', async () => reply('{"status":"ok"}', 'application/json')),
    // Requests may be sent here: the store answers, and the service is not stopping.
    page('/readyz', async () => {
      if (draining()) throw new PetstoreError('unavailable', 'The service is shutting down.')
      await ping()
      return reply('{"status":"ready"}', 'application/json')
    }),
  ]
}

function page(path: string, get: Endpoint): Route {
  return new Route(path, { GET: get })
}

function revalidated(text: string, type: string): StaticFile {
  return new StaticFile(new TextEncoder().encode(text), type, 'revalidated')
}

function reply(text: string, type: string): Answer {
  const headers = { ...SECURITY_HEADERS, 'Content-Type': type, 'Cache-Control': 'no-cache' }
  return { status: 200, body: text, base: new Headers(headers) }
}
