// Reads and replaces the names of the store and its categories (`/names`), which are not part of the contract.

import { stringifyJson } from '../../contract/src/json.ts'
import { PetstoreApiError } from './errors.ts'
import { arrayOf, int64, objectOf, optional, readJson, string } from './responses.ts'
import { type Received, type RequestOptions, sendRequest } from './retries.ts'

interface Category {
  id: bigint
  name: string
}

export interface StoreNames {
  store: string
  /** Missing without a key. */
  categories?: Category[]
  /** An id that neither a name nor a pet has. Missing if a file of the service has the names. */
  nextId?: bigint
  /** The ETag, for `replaceNames`. */
  tag: string
}

const toNames = objectOf<Omit<StoreNames, 'tag'>>({
  store: string,
  categories: optional(arrayOf(objectOf<Category>({ id: int64, name: string }))),
  nextId: optional(int64),
})

/**
 * `address` has no `/v1`. Without a key, the response only has the store's name. Resolves with `undefined` if the
 * service has no names (version 1.0.0), or is behind a proxy that only forwards `/v1`. Rejects as `sendRequest`.
 */
export async function readNames(
  address: string,
  apiKey: string | undefined,
  options: RequestOptions,
): Promise<StoreNames | undefined> {
  try {
    return namesIn(await sendRequest(address, '/names', { headers: withKey(apiKey), redirect: 'error' }, options))
  } catch (error) {
    if (error instanceof PetstoreApiError && error.status < 500 && ![401, 408, 429].includes(error.status))
      return undefined
    throw error
  }
}

/**
 * Replaces the names of all categories if they still have the tag. Safe to repeat. Rejects as `sendRequest`, with
 * `precondition_failed`, `invalid_names` or, if a file of the service has the names, `names_in_file`.
 */
export async function replaceNames(
  address: string,
  apiKey: string,
  categories: readonly Category[],
  tag: string,
  options: RequestOptions,
): Promise<StoreNames> {
  // See `changing` in petstore-client.ts.
  const conditions = { 'Content-Type': 'application/json', 'If-Match': tag.replace('W/"', '"') }
  const headers = { ...withKey(apiKey), ...conditions }
  const body = stringifyJson({ categories })
  return namesIn(await sendRequest(address, '/names', { method: 'PUT', headers, body, redirect: 'error' }, options))
}

function namesIn({ response, text }: Received): StoreNames {
  return { ...readJson(response, text, toNames), tag: response.headers.get('ETag') ?? '' }
}

function withKey(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }
}
