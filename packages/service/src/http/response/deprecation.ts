// Deprecated operations: the headers that announce the removal (RFC 9745, RFC 8594), the removal itself, and a tally of calls.

import type { ContractOperation, Deprecation } from '../../../../contract/src/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { DeprecatedCalls, KeyId } from '../../domain/keys.ts'
import type { LinkTo } from '../links.ts'

export function deprecationHeaders({ since, sunset, successor }: Deprecation, linkTo: LinkTo): Record<string, string> {
  return {
    Deprecation: `@${since / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${linkTo(successor)}>; rel="successor-version", <${linkTo('/docs')}>; rel="deprecation"; type="text/html"`,
  }
}

/** Throws `operation_removed` from the sunset on. */
export function checkNotRemoved({ id, deprecation }: ContractOperation, now: number, linkTo: LinkTo): void {
  if (!deprecation || now < deprecation.sunset) return
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10)
  const successor = linkTo(deprecation.successor)
  throw new PetstoreError('operation_removed', `${id} was removed on ${day}. Use GET ${successor} instead.`)
}

interface Tally {
  calls: number
  /** Milliseconds since 1970. */
  lastAt: number
}

/** Calls per key and operation: they are saved every few seconds, not at every call. */
export class DeprecatedCallTally {
  /** By operation, then by key. */
  private calls = new Map<string, Map<KeyId, Tally>>()

  count(keyId: KeyId, operationId: string, at: number, calls = 1): void {
    const ofOperation = this.calls.get(operationId) ?? new Map<KeyId, Tally>()
    const tally = ofOperation.get(keyId)
    if (tally) {
      tally.calls += calls
      tally.lastAt = Math.max(tally.lastAt, at)
    } else {
      this.calls.set(operationId, ofOperation.set(keyId, { calls, lastAt: at }))
    }
  }

  /** Gives `write` what was counted since the last time, if anything. Rejects as `write` does; then nothing is lost. */
  async save(write: (calls: readonly DeprecatedCalls[]) => Promise<void>): Promise<void> {
    const taken = [...this.calls].flatMap(([operationId, ofOperation]) =>
      [...ofOperation].map(([keyId, tally]) => ({ keyId, operationId, ...tally })),
    )
    if (taken.length === 0) return
    this.calls = new Map()
    try {
      await write(taken)
    } catch (error) {
      for (const { keyId, operationId, lastAt, calls } of taken) this.count(keyId, operationId, lastAt, calls)
      throw error
    }
  }
}
