// The Idempotency-Key header, which makes it safe to send a create or an order again.

/** A string of RFC 8941 (3.3.3), as the draft of the Idempotency-Key header requires. Throws TypeError. */
export function quotedKey(key: string): string {
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
