// The client that a command speaks through: which service, and with which key. Flags win over the environment, and both
// over `petstore login`. A kept key goes to the address it was kept for and to no other.

import type { Command } from 'commander'
import { type Deprecation, PetstoreClient } from '../client/petstore.ts'
import { StartError } from '../errors.ts'
import { DEFAULT_URL, readLogin } from './login.ts'
import { connectionOf } from './options.ts'

/** Throws StartError when no key is known. */
export function createClient(command: Command, options: { retries?: number } = {}): PetstoreClient {
  const given = connectionOf(command)
  const kept = given.url && given.apiKey ? undefined : readLogin()
  const baseUrl = given.url ?? kept?.url ?? DEFAULT_URL
  const apiKey = given.apiKey ?? (kept?.url === baseUrl ? kept.apiKey : undefined)
  if (!apiKey) {
    throw new StartError(`No API key is known for ${baseUrl}. Run petstore login, or set PETSTORE_API_KEY.`)
  }
  return new PetstoreClient({ baseUrl, apiKey, onDeprecated: warn, ...options })
}

function warn({ operationId, removal }: Deprecation): void {
  const until = removal ? `, and is removed on ${removal.toISOString().slice(0, 10)}` : ''
  process.stderr.write(`petstore: ${operationId} is deprecated${until}.\n`)
}
