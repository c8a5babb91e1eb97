// The Idempotency-Key header, which makes it safe to send a create or an order again.

/** Returns an RFC 8941 (3.3.3) string, as the draft of the Idempotency-Key header requires. Throws TypeError. */
export function quotedKey(key: string): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters')
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`
}

/**
 * Returns the time and 80 random bits. Increasing keys keep the service's index compact. Not randomUUID, which
 * browsers only offer on https and localhost.
 */
export function randomKey(): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => byte.toString(16).padStart(2, '0'))
  return Date.now().toString(16).padStart(12, '0') + random.join('')
}
