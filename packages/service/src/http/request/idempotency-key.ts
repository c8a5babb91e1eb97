// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header): reads it, and allows one request at a time
// for each key. The store remembers finished requests, for all servers and across restarts; this file knows only the
// requests in progress in this process.

import type { KeyId } from '../../domain/keys.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { watchSize } from '../../system/runtime.ts'

export class RunningKeys {
  private readonly running = new Set<string>()

  constructor() {
    watchSize('idempotency keys in flight', () => this.running.size)
  }

  /**
   * Runs `work` with the header's key, if there is one. Rejects with `idempotency_in_flight` while another request
   * with the key is running.
   */
  async runAlone<Result>(
    by: KeyId,
    header: string | undefined,
    work: (key?: string) => Promise<Result>,
  ): Promise<Result> {
    if (header === undefined) return work()
    // Without the quotes and escapes of an RFC 8941 string (3.3.3). A key without quotes stays unchanged.
    const key = header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(.)/g, '$1') : header
    const name = `${by} ${key}`
    if (this.running.has(name)) {
      throw new PetstoreError(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still in progress. Send it again to get its response.',
      )
    }
    this.running.add(name)
    try {
      return await work(key)
    } finally {
      this.running.delete(name)
    }
  }
}
