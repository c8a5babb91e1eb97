// Applies a network fault to a request and to the bytes of its response.

import { ERROR_STATUS, type ErrorCode } from '../../../contract/src/generated.ts'
import type { Fault } from '../../../testing/testing.ts'
import { each, header } from '../contract-faults/shared/changes.ts'
import { errorAnswer } from '../contract-faults/shared/faults.ts'
import { type ClientRequest, type Pass, type ServiceResponse, write } from '../proxy.ts'

interface Injected {
  response: ServiceResponse
  /** The members of the fault that changed something; `undefined` if none did. */
  applied: Fault | undefined
}

export async function injectFault(fault: Fault, request: ClientRequest, pass: Pass): Promise<Injected> {
  const { latencyMs = 0, cut, status, code } = fault
  await Bun.sleep(latencyMs)
  const isRefused = cut === 'before' || status !== undefined || code !== undefined
  const given = isRefused ? refusal(fault) : await pass(request)
  const response = fault.unknown ? withUnknown(given) : given
  const applied = appliedTo(fault, given, response)
  if (!applied) return { response, applied }
  const send: ServiceResponse['send'] = (client, bytes) => deliver(applied, client, bytes, response.body.length)
  return { response: { ...response, send }, applied }
}

function appliedTo(fault: Fault, given: ServiceResponse, response: ServiceResponse): Fault | undefined {
  const { status, code, cut, drip, latencyMs, unknown, truncate } = fault
  const isTruncated = truncate !== undefined && truncate < response.body.length
  const isUnknown = unknown === true && !response.body.equals(given.body)
  if (!isTruncated && !isUnknown && !(status ?? code ?? cut ?? drip ?? latencyMs)) return undefined
  const applied = { ...fault }
  if (!isUnknown) delete applied.unknown
  if (!isTruncated) delete applied.truncate
  if (!isTruncated && !cut) delete applied.reset
  return applied
}

function refusal({ status, code, retryAfter }: Fault): ServiceResponse {
  const shown = status ?? ERROR_STATUS[code as ErrorCode] ?? 500
  const name = code ?? Object.entries(ERROR_STATUS).find(([, one]) => one === shown)?.[0] ?? 'internal'
  const answer = errorAnswer(name as ErrorCode, 'Injected by practice.', shown)
  return retryAfter === undefined ? answer : header('Retry-After', String(retryAfter))(answer)
}

/** Adds values that only a later version could send. */
const withUnknown = each((object) => {
  if (object.has('code')) object.set('code', 'unknown_code')
  if (object.has('type')) object.set('type', 'unknown.type')
  object.set('unknown', 'unknown')
})

type Client = Parameters<typeof write>[0]

/** Whether a response with this fault is sent in pieces, so that it ends some time after it starts. */
export function isSentSlowly({ drip }: Fault): boolean {
  return drip !== undefined
}

async function deliver({ cut, truncate, drip, reset }: Fault, client: Client, bytes: Buffer, bodyLength: number) {
  const end = cut ? 0 : truncate === undefined ? bytes.length : bytes.length - bodyLength + truncate
  const given = bytes.subarray(0, end)
  const step = drip === undefined ? given.length : Math.max(1, Math.round(drip / 10))
  for (let at = 0; at < given.length && !client.destroyed; at += step) {
    if (drip !== undefined) await Bun.sleep((1000 * step) / drip)
    await write(client, given.subarray(at, at + step))
  }
  if (cut === undefined && truncate === undefined) return
  if (reset) client.resetAndDestroy()
  else client.destroy()
}
