// Deprecated operations: the headers that announce the removal (RFC 9745, RFC 8594), the removal itself, and a tally of calls.

import type { ContractOperation, Deprecation } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { DeprecatedCalls, KeyId } from '../../domain/keys.ts'

export function deprecationHeaders({ since, sunset, successor }: Deprecation): Record<string, string> {
  return {
    Deprecation: `@${since / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${successor}>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"`,
  }
}

/** Throws `operation_removed` from the sunset on. */
export function checkNotRemoved({ id, deprecation }: ContractOperation, now: number): void {
  if (!deprecation || now < deprecation.sunset) return
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10)
  throw new PetstoreError('operation_removed', `${id} was removed on ${day}. Use GET ${deprecation.successor} instead.`)
}

/** Calls per key and operation: they are saved every few seconds, not at every call. */
export class DeprecatedCallTally {
  private calls = new Map<string, DeprecatedCalls>()

  count(keyId: KeyId, operationId: string, at: number): void {
    this.add({ keyId, operationId, calls: 1, lastAt: at })
  }

  private add({ keyId, operationId, calls, lastAt }: DeprecatedCalls): void {
    const name = `${keyId} ${operationId}`
    const before = this.calls.get(name)
    this.calls.set(name, {
      keyId,
      operationId,
      calls: calls + (before?.calls ?? 0),
      lastAt: Math.max(lastAt, before?.lastAt ?? 0),
    })
  }

  /** Gives `write` what was counted since the last time, if anything. Rejects as `write` does; then nothing is lost. */
  async save(write: (calls: readonly DeprecatedCalls[]) => Promise<void>): Promise<void> {
    const taken = [...this.calls.values()]
    if (taken.length === 0) return
    this.calls = new Map()
    try {
      await write(taken)
    } catch (error) {
      for (const calls of taken) this.add(calls)
      throw error
    }
  }
}
