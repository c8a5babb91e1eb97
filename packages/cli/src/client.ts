// Creates a command's client: which service it calls, with which key. Flags override the environment. Values saved by
// `petstore login` are used only if neither sets them, and the saved key is sent only to the address it was saved
// for.

import type { Command } from 'commander'
import { type Deprecation, PetstoreClient, type PetstoreClientOptions } from '../../client/src/petstore.ts'
import type { Fetch } from '../../client/src/retries.ts'
import { KeyError, localUrl, namesLocal } from '../../service/src/config/read-config.ts'
import { io } from '../../service/src/system/io.ts'
import { wallMs } from '../../service/src/system/runtime.ts'
import { readLogin } from './commands/login.ts'
import { setService } from './terminal/exit-codes.ts'
import { clientConfigOf } from './terminal/options.ts'
import { plainFetch } from './terminal/plain-fetch.ts'
import { printNote } from './terminal/print.ts'

/** How long before the removal of an operation its users are warned. */
const NOTE_MS = 90 * 24 * 3_600_000

export interface Service {
  /** Ends in /v1. */
  baseUrl: string
  apiKey: string | undefined
  /** The source of the key, for people. */
  keyFrom: 'the flag or the environment' | 'petstore login'
}

export function serviceOf(command: Command): Service {
  const { url, apiKey } = clientConfigOf(command)
  const saved = apiKey ? undefined : readLogin()
  const baseUrl = url ?? (namesLocal(io().env) ? undefined : saved?.url) ?? localUrl(io().env)
  setService(baseUrl)
  if (apiKey) return { baseUrl, apiKey, keyFrom: 'the flag or the environment' }
  return { baseUrl, apiKey: saved?.url === baseUrl ? saved.apiKey : undefined, keyFrom: 'petstore login' }
}

/** Throws KeyError. */
export function createClient(command: Command, options: Partial<PetstoreClientOptions> = {}): PetstoreClient {
  return new PetstoreClient({ ...clientOptions(command), ...options })
}

/** Throws KeyError. */
export function clientOptions(command: Command): PetstoreClientOptions {
  const { baseUrl, apiKey } = serviceOf(command)
  if (!apiKey) {
    throw new KeyError(`There is no API key for ${baseUrl}. Run petstore login, or set PETSTORE_API_KEY.`)
  }
  const onDeprecated = (notice: Deprecation) => {
    if (!notice.removal || notice.removal.getTime() - wallMs() >= NOTE_MS) return
    const day = notice.removal.toISOString().slice(0, 10)
    const what = `petstore: ${typed(command)} calls a deprecated operation`
    printNote(`${what}, which the service will remove on ${day}.`)
  }
  return { baseUrl, apiKey, onDeprecated, fetch: plainFetch }
}

/** A clock that differs from the service's by less than this is exact enough: `Date` has whole seconds. */
const CLOCK_MS = 2_000

/** Resolves with the service's time, because the clock of this machine can be days off. */
export async function serviceNow(command: Command): Promise<number> {
  let date = ''
  const noting: Fetch = async (url, init) => {
    const response = await plainFetch(url, init)
    date = response.headers.get('Date') ?? ''
    return response
  }
  await createClient(command, { fetch: noting }).getInventory()
  const [here, there] = [wallMs(), Date.parse(date)]
  return Math.abs(there - here) > CLOCK_MS ? there : here
}

/** Returns the words of the command as the user wrote them. */
function typed(command: Command): string {
  const name = command.parent?.args[0] ?? command.name()
  return command.parent?.parent ? `${command.parent.name()} ${name}` : name
}
