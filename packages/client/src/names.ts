// Reads the names of the store and its categories (`GET /names`), which are not part of the contract.

import { PetstoreApiError } from './errors.ts'
import { arrayOf, int64, objectOf, optional, readJson, string } from './responses.ts'
import { type RequestOptions, sendRequest } from './retries.ts'

/** For `GET /names`. A request without a key gets no `categories`. */
const toNames = objectOf<{ store: string; categories?: { id: bigint; name: string }[] }>({
  store: string,
  categories: optional(arrayOf(objectOf<{ id: bigint; name: string }>({ id: int64, name: string }))),
})

/**
 * `address` has no `/v1`. Without a key, the response only has the store's name. Resolves with `undefined` if the
 * service has no names (version 1.0.0), or is behind a proxy that only forwards `/v1`. Rejects as `sendRequest`.
 */
export async function readNames(
  address: string,
  apiKey: string | undefined,
  options: RequestOptions,
): Promise<ReturnType<typeof toNames> | undefined> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }
  try {
    const { response, text } = await sendRequest(address, '/names', { headers, redirect: 'error' }, options)
    return readJson(response, text, toNames)
  } catch (error) {
    if (error instanceof PetstoreApiError && error.status < 500 && ![401, 408, 429].includes(error.status))
      return undefined
    throw error
  }
}
