// Counts requests with an invalid API key by client address, which shows who guesses keys or uses a revoked one.

import type { ClientAddress } from '../observability/client-address.ts'
import type { Log } from '../observability/log.ts'
import { startTimer, stopTimer, type Timer } from '../system/runtime.ts'
import type { Context } from './context.ts'
import type { Answer } from './response/response.ts'

const LOG_EVERY_MS = 60_000
/** The most addresses per minute. Requests from others are counted together. */
const ADDRESSES_MAX = 100
const OTHERS = 'other addresses'

export class InvalidKeys {
  /** Since the start. */
  total = 0
  /** By address, since the last log lines. */
  private readonly requests = new Map<string, number>()
  private logging: Timer | undefined

  constructor(
    private readonly log: Log,
    private readonly addressOf: ClientAddress,
  ) {}

  /** Call this right before giving a response to the runtime. */
  readonly responded = (_answer: Answer, _response: Response, { code, request }: Context): void => {
    if (code !== 'invalid_api_key') return
    this.total++
    const client = this.addressOf(request) ?? OTHERS
    const counted = this.requests.has(client) || this.requests.size < ADDRESSES_MAX ? client : OTHERS
    this.requests.set(counted, (this.requests.get(counted) ?? 0) + 1)
    this.logging ??= startTimer(this.report, LOG_EVERY_MS).unref()
  }

  /** Logs a line for each address. Call this after the last response, too. */
  readonly report = (): void => {
    stopTimer(this.logging)
    this.logging = undefined
    for (const [client, requests] of this.requests) this.log.warn({ client, requests }, 'invalid API keys')
    this.requests.clear()
  }
}
