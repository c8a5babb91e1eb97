// Posts one message to the receiver of a web hook, signed as Standard Webhooks 1.0.0 defines, and returns the
// outcome.

import { createHmac } from 'node:crypto'
import { retryAfterMs } from '../../../client/src/responses.ts'
import { systemReason } from '../../../contract/src/system-reason.ts'

export interface Message {
  /** The same for all attempts, so that the receiver can detect duplicates. */
  id: string
  body: string
}

export interface Receiver {
  url: URL
  secrets: readonly Uint8Array[]
  /** The limit of one attempt. */
  timeoutMs?: number
}

export interface Failed {
  reason: string
  retryAfterMs: number
}

export const TIMEOUT_MS = 30_000
/** A longer or slower body is not read to its end, and its connection is not reused. */
const ANSWER_BYTES_MAX = 64 * 1024
const BODY_MS = 100

/** Posts the message once. `signal` aborts the attempt. */
export async function post({ url, secrets, timeoutMs = TIMEOUT_MS }: Receiver, message: Message, signal: AbortSignal) {
  const answered = new AbortController()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: signed(message, secrets),
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs), answered.signal]),
      // Overrides the environment.
      tls: { rejectUnauthorized: true },
      // A few compressed bytes can inflate to gigabytes.
      decompress: false,
    })
    await drain(response, answered)
    if (response.ok) return 'accepted'
    if (response.status === 410) return 'removed'
    return { reason: `status ${response.status}`, retryAfterMs: retryAfterMs(response.headers) ?? 0 }
  } catch (error) {
    const { name } = error as Error
    return { reason: name === 'TimeoutError' ? 'no answer in time' : systemReason(error), retryAfterMs: 0 }
  }
}

/** Signs with the current time for each attempt. During a rotation there is one signature per secret. */
function signed({ id, body }: Message, secrets: readonly Uint8Array[]): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000).toString()
  const signature = (secret: Uint8Array) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return {
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(signature).join(' '),
  }
}

/**
 * Reads the rest of the response, to reuse the connection. Errors do not matter, because only the status counts.
 * `answered` closes the connection.
 */
async function drain(response: Response, answered: AbortController): Promise<void> {
  const length = Number(response.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY)
  if (length > ANSWER_BYTES_MAX) return answered.abort()
  const timer = setTimeout(() => answered.abort(), BODY_MS)
  await response.arrayBuffer().catch(() => undefined)
  clearTimeout(timer)
}
