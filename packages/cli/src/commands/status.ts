// `petstore status`, `petstore health` and `petstore open` show the service that commands call, whether it is ready,
// and its page.

import { Command } from 'commander'
import { PetstoreApiError, PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { sendRequest } from '../../../client/src/retries.ts'
import { KeyError, localUrl } from '../../../service/src/config/read-config.ts'
import { CLIENT_SETTINGS } from '../../../service/src/config/settings.ts'
import type { KeyInfo } from '../../../service/src/http/web/service-routes.ts'
import { io } from '../../../service/src/system/io.ts'
import { createClient, serviceOf } from '../client.ts'
import { clientConfigOf, withClientSettings, withLocal } from '../terminal/options.ts'
import { plainFetch, useNoProxy } from '../terminal/plain-fetch.ts'
import { printLines } from '../terminal/print.ts'
import { time } from '../terminal/table.ts'

const TIMEOUT_MS = 5_000

export function statusCommand(): Command {
  return withClientSettings(new Command('status'))
    .description('Show which service the commands call, its state, the access of the API key, and the last event.')
    .action(async (_options, self: Command) => {
      const { baseUrl, apiKey, keyFrom } = serviceOf(self)
      await printLines(`Service  ${baseUrl}`)
      await printLines(`State    ${await stateOf(baseUrl)}`)
      if (!apiKey) throw new KeyError('There is no API key. Run petstore login, or set PETSTORE_API_KEY.')
      await printLines(`Key      …${apiKey.slice(-4)}, from ${keyFrom}`)
      const { name, access, environment, expiresAt }: KeyInfo = JSON.parse(await get(baseUrl, '/key', apiKey))
      const end = expiresAt ? `expires ${time(Date.parse(expiresAt))}` : 'never expires'
      await printLines(`         ${name}: ${access === 'full' ? 'full access' : access}, ${environment}, ${end}`)
      const event = await lastEvent(self)
      if (event) await printLines(`Event    ${event}`)
    })
}

export function openCommand(): Command {
  return withClientSettings(new Command('open'))
    .description('Open the page of the service in a browser.')
    .action(async (_options, self: Command) => {
      const url = new URL('..', `${serviceOf(self).baseUrl}/`).href
      const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
      const path = Bun.which(opener, { PATH: io().env.PATH ?? '' })
      if (path) Bun.spawn([path, url], { env: io().env, stdio: ['ignore', 'ignore', 'ignore'] }).unref()
      await printLines(`${url}`)
    })
}

/** Throws PetstoreNetworkError if the service does not respond. */
async function stateOf(baseUrl: string): Promise<string> {
  try {
    await get(baseUrl, '/readyz')
    return 'ready'
  } catch (error) {
    if (error instanceof PetstoreApiError) return `not ready: ${error.message}`
    throw error
  }
}

/** Resolves with `undefined` if there is no event, or the server has no event feed. */
async function lastEvent(command: Command): Promise<string | undefined> {
  try {
    const client = createClient(command, { retries: 0 })
    const [event] = (await client.listEvents({ limit: 1, sort: 'newest' })).events
    if (!event) return undefined
    const by = event.by === undefined ? '' : `, by ${event.by}`
    return `${event.type}: pet ${event.petId}${by}, ${time(Date.parse(event.at))}`
  } catch (error) {
    if (error instanceof PetstoreApiError) return undefined
    throw error
  }
}

/** Reads a path outside /v1. */
async function get(baseUrl: string, path: string, apiKey?: string): Promise<string> {
  const headers = apiKey ? { Authorization: `Bearer ${apiKey}` } : {}
  const options = { fetch: plainFetch, timeoutMs: TIMEOUT_MS, retries: 0, signal: AbortSignal.any([]) }
  return (await sendRequest(baseUrl.replace(/\/v1$/, ''), path, { headers, redirect: 'error' }, options)).text
}

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return withLocal(new Command('health').option(flag, description))
    .description('Check whether a service is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .action(async (_options, self: Command) => {
      const { url: given = localUrl(io().env) } = clientConfigOf(self)
      useNoProxy('*')
      const url = new URL('../readyz', `${given}/`)
      const response = await plainFetch(url.href, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
        throw new PetstoreNetworkError(`${url} does not answer.`, { cause })
      })
      if (!response.ok) throw new PetstoreNetworkError(`The service is not ready: ${url} answered ${response.status}.`)
      await printLines('ready')
    })
}
