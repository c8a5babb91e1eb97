// The names of the store and of its categories (`GET /names`), for the page and the commands. They are no part of the contract.

import { PetstoreApiError } from './errors.ts'
import { readJson, toNames } from './responses.ts'
import { type RequestOptions, sendRequest } from './retries.ts'

/**
 * `address`: of the service, without `/v1`. Without a key, only the store's name is told. Resolves with `undefined` if the service has no names,
 * as version 1.0.0, or is behind a proxy that passes on only `/v1`. Otherwise rejects as `sendRequest`.
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
