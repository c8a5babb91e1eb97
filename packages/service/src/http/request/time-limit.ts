// How long a body may take to arrive.

import { PetstoreError } from '../../domain/petstore-error.ts'

/** The body, when it arrives. Rejects with `request_timeout` after `timeoutMs`, or when the connection closes before. */
export async function arrivesWithin(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`
  const timer = setTimeout(() => reject(new PetstoreError('request_timeout', message)), timeoutMs)
  try {
    return await Promise.race([reading, late])
  } catch (cause) {
    if (cause instanceof PetstoreError) throw cause
    throw new PetstoreError('request_timeout', 'The connection closed before the whole body arrived.', { cause })
  } finally {
    clearTimeout(timer)
  }
}
