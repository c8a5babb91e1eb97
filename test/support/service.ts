// A real server with a real store, a key and a clock for the test. It stops at the end of the test file.

import { generateKey, hashKey, type NewKey } from '../../packages/service/src/domain/keys.ts'
import type { Transition } from '../../packages/service/src/domain/orders.ts'
import { logExpired } from '../../packages/service/src/http/expiry.ts'
import { type ServerOptions, startServer } from '../../packages/service/src/http/server.ts'
import { createLog } from '../../packages/service/src/observability/log.ts'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { checkAgainstContract } from './contract-check.ts'
import { atEndOfFile } from './files.ts'

/** 21 November 2026, when getPet is deprecated, and four years before its sunset. */
export const TODAY = Date.UTC(2026, 10, 21)

export interface Answer {
  status: number
  headers: Headers
  text: string
}

export type Service = Awaited<ReturnType<typeof startService>>

export interface ServiceOptions extends Partial<ServerOptions> {
  /** The address of the store; in memory by default. */
  address?: string
  /** Is called with each response and its `operationId status`. */
  observe?: (name: string, answer: Answer) => void
}

export async function startService({ address = ':memory:', observe, ...overrides }: ServiceOptions = {}) {
  const clock = { at: TODAY }
  const now = overrides.now ?? (() => clock.at)
  const logged: string[] = []
  const log = createLog('info', { destination: { write: (line) => logged.push(line) } })
  const onTransitions = (transitions: readonly Transition[]) => logExpired(log, transitions)
  const store = overrides.store ?? (await openStore(address, { now, onTransitions }))
  const server = startServer({
    store,
    log,
    host: '127.0.0.1',
    port: 0,
    environment: 'production',
    baseUrls: { production: undefined, staging: undefined },
    names: { store: 'Petstore' },
    corsOrigins: [],
    enforceSunset: true,
    now,
    ...overrides,
  })

  async function addKey(key: Partial<NewKey> = {}): Promise<string> {
    const text = generateKey(overrides.environment ?? 'production')
    await store.createKey({ name: 'test', readOnly: false, expiresAt: undefined, ...key, hash: hashKey(text) })
    return text
  }
  const key = await addKey()
  let stopped: Promise<void> | undefined
  /** Stops the server, and closes the store unless it was passed in. */
  const stop = () => {
    stopped ??= server.stop(1_000).then(() => (overrides.store ? undefined : store.close()))
    return stopped
  }
  atEndOfFile(stop)

  /** `path` does not include /v1. Checks every response against the contract. */
  async function request(method: string, path: string, { headers = {}, body }: Asked = {}): Promise<Answer> {
    const authorization = { Authorization: `Bearer ${key}` }
    const sent = body === undefined ? {} : { body }
    const response = await fetch(server.url + path, { method, headers: { ...authorization, ...headers }, ...sent })
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    const name = checkAgainstContract(method, path, answer)
    if (name) observe?.(name, answer)
    return answer
  }

  return {
    url: server.url,
    origin: new URL(server.url).origin,
    port: server.port,
    store,
    server,
    clock,
    logged,
    key,
    /** The variables that connect a command to the service. */
    env: { PETSTORE_URL: server.url, PETSTORE_API_KEY: key },
    addKey,
    request,
    get: (path: string, headers: Record<string, string> = {}) => request('GET', path, { headers }),
    post: (body: Asked['body'], headers: Record<string, string> = {}) => request('POST', '/pets', { headers, body }),
    stop,
  }
}

export interface Asked {
  /** An empty Authorization omits the header. */
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream | undefined
}
