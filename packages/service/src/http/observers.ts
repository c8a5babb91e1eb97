// What observes the responses of a server: its metrics, the access log, and the count of invalid keys.

import { clientAddress } from '../observability/client-address.ts'
import type { AccessLogKind, Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { monotonicMs } from '../system/runtime.ts'
import { AccessLog } from './access-log.ts'
import type { Context } from './context.ts'
import { InvalidKeys } from './invalid-keys.ts'
import type { Answer } from './response/response.ts'

/**
 * Is called right before a response is given to the runtime. The status of `response` can differ from the answer's
 * (304).
 */
export type Observer = (answer: Answer, response: Response, context: Context) => void

export interface ObserverOptions {
  readonly log: Log
  readonly metrics?: Metrics | undefined
  /** Default: `off`. */
  readonly accessLog?: AccessLogKind
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[]
}

interface Observers {
  readonly all: readonly Observer[]
  /** Call this after the last response. */
  close(): void
}

export function observersOf(
  { log, metrics, accessLog = 'off', trustedProxies = [] }: ObserverOptions,
  server: () => Pick<Bun.Server<undefined>, 'requestIP'>,
): Observers {
  const addressOf = clientAddress(trustedProxies, (request) => server().requestIP(request))
  const keys = new InvalidKeys(log, addressOf)
  metrics?.watch({ invalidKeys: () => keys.total })
  const access = accessLog === 'off' ? undefined : new AccessLog(log, accessLog, addressOf)
  const measure: Observer = (_, { status }, { label, startedAt }) =>
    metrics?.request(label, status, (monotonicMs() - startedAt) / 1000)
  return {
    all: [metrics && measure, access?.responded, keys.responded].filter((one) => one !== undefined),
    close() {
      access?.count()
      keys.report()
    },
  }
}
