// The typed client: the contract's operations over `fetch`, for browsers, Node, Bun and Deno, without a dependency. Ids
// and categories are exact bigints. The API key stays in the object: the client never logs it, stores it or puts it in a
// message.

import type { NewPet, PetStatus } from '../contract/generated.ts'
import { stringifyJson } from '../json/json.ts'
import { type Fetch, type Received, sendRequest } from './request.ts'
import { nextCursor, type Pet, readPet, readPets } from './responses.ts'

export interface PetstoreClientOptions {
  /** The service's address, ending in `/v1`; in a browser it may be relative. */
  baseUrl: string
  apiKey: string
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** For each attempt, until the last byte of its response. Default: 10 000. */
  timeoutMs?: number | undefined
  /** How many attempts may follow the first when a request fails for a reason that may pass. Default: 2. */
  retries?: number | undefined
  /** Called once for each deprecated operation that is used. */
  onDeprecated?: ((notice: Deprecation) => void) | undefined
}

export interface Deprecation {
  operationId: string
  since: Date | undefined
  removal: Date | undefined
}

export interface CallOptions {
  /** Aborts the call and its retries; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Instead of the client's `retries`. */
  retries?: number | undefined
}

export interface CreateOptions extends CallOptions {
  /** The same key adds the same pet once, for at least 24 hours. 1 to 255 printable ASCII characters. Default: random. */
  idempotencyKey?: string | undefined
  /** Called when an earlier call with the same key had already added the pet. */
  onReplayed?: (() => void) | undefined
}

export interface PetFilter {
  status?: PetStatus | undefined
  /** Pets in a page, 1 to 100. */
  limit?: number | undefined
}

export interface PetPage {
  pets: Pet[]
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
}

const PAGE_MAX = 100

export class PetstoreClient {
  readonly #options: PetstoreClientOptions
  readonly #reported = new Set<string>()

  /** Throws TypeError when `baseUrl` or `apiKey` cannot work. */
  constructor(options: PetstoreClientOptions) {
    const baseUrl = required(options.baseUrl, 'baseUrl').replace(/\/+$/, '')
    if (!/^[^?#]*\/v1$/.test(baseUrl)) {
      throw new TypeError(`baseUrl must end in /v1, for example https://petstore.example/v1, but is ${baseUrl}.`)
    }
    // Checked here because the message of `fetch` would contain the key.
    if (!/^[\x21-\x7e]+$/.test(required(options.apiKey, 'apiKey'))) {
      throw new TypeError('apiKey must be printable ASCII without spaces.')
    }
    this.#options = { ...options, baseUrl }
  }

  /** Every pet once, oldest first. Fetches the next page when it is needed; `limit` is the size of a page. */
  async *listPets(filter: PetFilter = {}, options: CallOptions = {}): AsyncGenerator<Pet, void, undefined> {
    let cursor: string | undefined
    do {
      const page = await this.listPage({ ...filter, limit: filter.limit ?? PAGE_MAX, cursor }, options)
      yield* page.pets
      cursor = page.next
    } while (cursor !== undefined)
  }

  /** The first page, or the page at `cursor`. A cursor is valid only with the `status` that it came with. */
  async listPage(
    { limit, status, cursor }: PetFilter & { cursor?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<PetPage> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ limit, status, cursor })) {
      if (value !== undefined) query.set(name, String(value))
    }
    const { response, text } = await this.#send('listPets', `/pets?${query}`.replace(/\?$/, ''), {}, options)
    return { pets: readPets(response, text), next: nextCursor(response) }
  }

  /** Resolves when the pet is on the service's disk. It is added once, however many attempts that took. */
  async createPet(
    pet: NewPet,
    { idempotencyKey = randomKey(), onReplayed, ...options }: CreateOptions = {},
  ): Promise<Pet> {
    const { response, text, attempts } = await this.#send(
      'createPet',
      '/pets',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': quoted(idempotencyKey) },
        body: stringifyJson(pet),
      },
      options,
    )
    const added = readPet(response, text)
    // After a retry, the replayed pet may be the one that this call's first attempt added.
    if (attempts === 1 && response.headers.get('Idempotency-Replayed') === 'true') onReplayed?.()
    return added
  }

  /**
   * Rejects with PetstoreApiError `not_found` when there is no such pet.
   * @deprecated The service removes this on 5 December 2030; list with `status` instead.
   */
  async getPet(id: bigint, options: CallOptions = {}): Promise<Pet> {
    const { response, text } = await this.#send('getPet', `/pets/${BigInt(id)}`, {}, options)
    return readPet(response, text)
  }

  async #send(operationId: string, path: string, init: RequestInit, call: CallOptions): Promise<Received> {
    const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 10_000, retries = 2 } = this.#options
    const received = await sendRequest(
      baseUrl,
      path,
      {
        ...init,
        headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}`, ...init.headers },
        // The service never redirects, and the key must not go anywhere else.
        redirect: 'error',
        credentials: 'omit',
      },
      { fetch, timeoutMs, retries: call.retries ?? retries, signal: call.signal },
    )
    this.#noteDeprecation(operationId, received.response.headers)
    return received
  }

  /** RFC 9745 and RFC 8594. */
  #noteDeprecation(operationId: string, headers: Headers): void {
    const since = headers.get('Deprecation')
    if (since === null || this.#reported.has(operationId)) return
    this.#reported.add(operationId)
    this.#options.onDeprecated?.({
      operationId,
      since: date(Number(since.replace('@', '')) * 1000),
      removal: date(Date.parse(headers.get('Sunset') ?? '')),
    })
  }
}

/** Programs in plain JavaScript, and environment variables that are not set, have no types to warn them. */
function required(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} is required: it must be a string that is not empty.`)
}

function date(ms: number): Date | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms)
}

/** A string of RFC 8941 (3.3.3), as the draft of the Idempotency-Key header requires. */
function quoted(key: string): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters')
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`
}

/**
 * The time and 80 random bits: keys that rise with time keep the service's index of them compact. Not randomUUID, which
 * browsers offer only on https and localhost.
 */
export function randomKey(): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => byte.toString(16).padStart(2, '0'))
  return Date.now().toString(16).padStart(12, '0') + random.join('')
}
