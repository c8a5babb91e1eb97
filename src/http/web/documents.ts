// What is served beside the operations, outside /v1 and without a key: the contract, and whether the service is well.

import { contractFor } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import { Resource, type Responder } from '../resource.ts'
import { SECURITY_HEADERS } from '../response/response.ts'
import { StaticFile } from './static-file.ts'

export interface Wellbeing {
  /** Rejects when the store cannot answer. */
  ping: () => Promise<void>
  /** True once the service has begun to stop. */
  draining: () => boolean
  /** The addresses of the contract's servers, in its order. */
  addresses: () => readonly (string | undefined)[]
}

export function documents({ ping, draining, addresses }: Wellbeing): Resource[] {
  // Made when it is first asked for: the addresses are known only once the server listens.
  let made: Record<'yaml' | 'json', StaticFile> | undefined
  function contract() {
    if (made) return made
    const { yaml, json } = contractFor(addresses())
    made = { yaml: revalidated(yaml, 'application/yaml'), json: revalidated(json, 'application/json') }
    return made
  }
  return [
    page('/openapi.yaml', async (request) => contract().yaml.respond(request, SECURITY_HEADERS)),
    page('/openapi.json', async (request) => contract().json.respond(request, SECURITY_HEADERS)),
    // The process runs and answers.
    page('/healthz', async () => reply('{"status":"ok"}', 'application/json')),
    // Requests may be sent here: the store answers, and the service is not stopping.
    page('/readyz', async () => {
      if (draining()) throw new PetstoreError('unavailable', 'The service is stopping.')
      await ping()
      return reply('{"status":"ready"}', 'application/json')
    }),
  ]
}

function page(path: string, get: Responder): Resource {
  return new Resource(path, { GET: get })
}

function revalidated(text: string, type: string): StaticFile {
  return new StaticFile(new TextEncoder().encode(text), type, 'revalidated')
}

function reply(text: string, type: string): Response {
  return new Response(text, { headers: { ...SECURITY_HEADERS, 'Content-Type': type, 'Cache-Control': 'no-cache' } })
}
