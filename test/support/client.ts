// A client, and a server that responds to it as the test says.

import { PetstoreClient, type PetstoreClientOptions } from '../../packages/client/src/petstore.ts'
import { stringifyJson } from '../../packages/contract/src/json.ts'
import { startFake } from './fake.ts'
import { newPet } from './pets.ts'

export const REX = { id: 1n, ...newPet() }
export const REX_JSON = stringifyJson(REX)
const AT = '2026-11-21T09:30:00.000Z'
export const ORDER = { id: 1n, petId: 2n, petName: 'Rex', status: 'pending', placedAt: AT, changedAt: AT } as const
export const ORDER_JSON = stringifyJson(ORDER)

export function clientOf(baseUrl: string, options: Partial<PetstoreClientOptions> = {}): PetstoreClient {
  return new PetstoreClient({ baseUrl, apiKey: 'key', ...options })
}

export function answer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

export function errorJson(code: string, status: number): string {
  return JSON.stringify({ code, message: 'No.', status })
}

/** Starts a server that responds to its n-th request, from 0, with `respond`. */
export async function withServer(
  respond: (request: Request, n: number) => Response | Promise<Response>,
  use: (url: string, tries: () => number) => Promise<unknown>,
): Promise<void> {
  let tries = 0
  const { url } = startFake((request) => respond(request, tries++))
  await use(url, () => tries)
}
