// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header): its text, and one create at a time under each.
// What was added under a key is the store's to know, so it holds after a restart and across servers; here is only which
// creates this server has not answered yet.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'

/** The key itself: a string of RFC 8941 (3.3.3) without its quotes and escapes; a bare one is taken as it is. */
export function readIdempotencyKey(header: string): string {
  return header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(.)/g, '$1') : header
}

export class RunningKeys {
  private readonly running = new Set<string>()

  /** Runs `work`, unless one under the same key is running: then throws `idempotency_in_flight`. */
  async run<Result>(by: KeyId, key: string, work: () => Promise<Result>): Promise<Result> {
    const name = `${by} ${key}`
    if (this.running.has(name)) {
      throw new PetstoreError(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still in progress. Send it again to get its response.',
      )
    }
    this.running.add(name)
    try {
      return await work()
    } finally {
      this.running.delete(name)
    }
  }
}
