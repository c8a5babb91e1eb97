// The typed client: the contract's operations over `fetch`, for browsers, Node, Bun and Deno, without a dependency. Ids
// and categories are bigint, exact. The API key is kept in the object alone: never logged, stored or put into a message.

import type { NewPet, PetStatus } from '../generated/contract.ts'
import { stringifyFlat } from './json.ts'
import { type Exchanged, exchange, type Fetch } from './request.ts'
import { nextCursor, type Pet, readPet, readPets } from './responses.ts'

export interface PetStoreOptions {
  /** The service's address, ending in `/v1`; in a browser it may be relative. */
  baseUrl: string
  apiKey: string
  /** Instead of the global one. */
  fetch?: Fetch | undefined
  /** For each try of a request, from its start to the last byte of its answer. 10 000 unless given. */
  timeoutMs?: number | undefined
  /** How many more times a request that failed in passing is tried. 2 unless given. */
  retries?: number | undefined
  /** Called once for each operation in use that is to be removed. */
  onDeprecated?: ((notice: Deprecation) => void) | undefined
}

export interface Deprecation {
  operationId: string
  since: Date | undefined
  removal: Date | undefined
}

export interface CallOptions {
  /** Ends the call, its pauses and its further tries; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

export interface CreateOptions extends CallOptions {
  /** The same key adds the same animal once, for 24 hours at least. A random one unless given. Printable ASCII. */
  idempotencyKey?: string | undefined
  /** Called when nothing was added, because an earlier call with the same key already had. */
  onReplayed?: (() => void) | undefined
}

export interface PetFilter {
  status?: PetStatus | undefined
  /** Animals in a page, from 1 to 100. */
  limit?: number | undefined
}

export interface PetPage {
  pets: Pet[]
  /** The cursor of the page that follows; `undefined` on the last page. */
  next: string | undefined
}

const PAGE_MAX = 100

export class PetStore {
  readonly #options: PetStoreOptions
  readonly #told = new Set<string>()

  /** Throws TypeError for a key that no header can carry. */
  constructor(options: PetStoreOptions) {
    // Here and without the key: `fetch` would name it in its own message.
    if (!/^[\x21-\x7e]+$/.test(options.apiKey)) throw new TypeError('apiKey must be printable ASCII without spaces')
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, '') }
  }

  /** Every animal, oldest first, each once, page by page as it is read. `limit` is the size of a page. */
  async *listPets(filter: PetFilter = {}, options: CallOptions = {}): AsyncGenerator<Pet, void, undefined> {
    let cursor: string | undefined
    do {
      const page = await this.listPage({ ...filter, limit: filter.limit ?? PAGE_MAX, cursor }, options)
      yield* page.pets
      cursor = page.next
    } while (cursor !== undefined)
  }

  /** One page: the first, or the one at `cursor`, for which `status` must stay the same. */
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

  /** Resolves once the animal is on the service's disk, added once however often it had to be tried. */
  async createPet(pet: NewPet, { idempotencyKey = randomKey(), signal, onReplayed }: CreateOptions = {}): Promise<Pet> {
    const { response, text, tries } = await this.#send(
      'createPet',
      '/pets',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': quoted(idempotencyKey) },
        body: stringifyFlat(pet),
      },
      { signal },
    )
    const added = readPet(response, text)
    // A later try that meets a replay may have met what an earlier one of this call added.
    if (tries === 1 && response.headers.get('Idempotency-Replayed') === 'true') onReplayed?.()
    return added
  }

  /**
   * Rejects with PetstoreApiError `not_found` when there is no such animal.
   * @deprecated The service removes this on 5 December 2030; list with `status` instead.
   */
  async getPet(id: bigint, options: CallOptions = {}): Promise<Pet> {
    const { response, text } = await this.#send('getPet', `/pets/${BigInt(id)}`, {}, options)
    return readPet(response, text)
  }

  async #send(operationId: string, path: string, init: RequestInit, { signal }: CallOptions): Promise<Exchanged> {
    const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 10_000, retries = 2 } = this.#options
    const exchanged = await exchange(
      baseUrl,
      path,
      {
        ...init,
        headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}`, ...init.headers },
        // The service never redirects; the key goes nowhere else.
        redirect: 'error',
        credentials: 'omit',
      },
      { fetch, timeoutMs, retries, signal },
    )
    this.#noteDeprecation(operationId, exchanged.response.headers)
    return exchanged
  }

  /** RFC 9745 and RFC 8594. */
  #noteDeprecation(operationId: string, headers: Headers): void {
    const since = headers.get('Deprecation')
    if (since === null || this.#told.has(operationId)) return
    this.#told.add(operationId)
    this.#options.onDeprecated?.({
      operationId,
      since: date(Number(since.replace('@', '')) * 1000),
      removal: date(Date.parse(headers.get('Sunset') ?? '')),
    })
  }
}

function date(ms: number): Date | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms)
}

/** A string of RFC 8941 (3.3.3), as the header's draft has it. */
function quoted(key: string): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters')
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`
}

/**
 * The time and 80 random bits: keys that rise with time keep the service's index of them compact. Not randomUUID, which
 * browsers have on https alone.
 */
function randomKey(): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => byte.toString(16).padStart(2, '0'))
  return Date.now().toString(16).padStart(12, '0') + random.join('')
}
