// The client of a command: which service it calls, and with which key. Flags override the environment, and both override
// `petstore login`. A saved key is sent only to the address for which it was saved.

import type { Command } from 'commander'
import { type Deprecation, PetstoreClient } from '../client/petstore.ts'
import { localUrl } from '../config/config.ts'
import { StartError } from '../domain/errors.ts'
import { readLogin } from './login.ts'
import { connectionOf } from './options.ts'

/** Throws StartError when there is no API key. */
export function createClient(command: Command, options: { retries?: number } = {}): PetstoreClient {
  const configured = connectionOf(command)
  const saved = configured.url && configured.apiKey ? undefined : readLogin()
  const baseUrl = configured.url ?? saved?.url ?? localUrl(process.env)
  const apiKey = configured.apiKey ?? (saved?.url === baseUrl ? saved.apiKey : undefined)
  if (!apiKey) {
    throw new StartError(`There is no API key for ${baseUrl}. Run petstore login, or set PETSTORE_API_KEY.`)
  }
  return new PetstoreClient({ baseUrl, apiKey, onDeprecated: warnOfDeprecation, ...options })
}

function warnOfDeprecation({ operationId, removal }: Deprecation): void {
  const until = removal ? `, and will be removed on ${removal.toISOString().slice(0, 10)}` : ''
  process.stderr.write(`petstore: ${operationId} is deprecated${until}.\n`)
}
