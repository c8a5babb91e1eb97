// Corrections for the checks of the store area: a change of a pet or an order, what it must leave as it was, and what the feed tells of it.

import { type Json, stringifyJson } from '../../contract/src/json.ts'
import type { Answer } from './answer.ts'
import { JSON_TYPE, type Probe, type RequestOptions } from './probe.ts'

/** `change` is a body, or fields of one. */
export function correct(
  probe: Probe,
  path: string,
  change: Record<string, unknown> | string,
  options: RequestOptions = {},
) {
  const body = typeof change === 'string' ? change : stringifyJson(change)
  return probe.ask(`PATCH ${path}`, { ...options, headers: { ...JSON_TYPE, ...options.headers }, body })
}

/** What is there, for a comparison. */
export const read = async (probe: Probe, path: string) => (await probe.get(path)).expectStatus(200)

export function expectFields(answer: Answer, fields: Record<string, Json>): void {
  for (const [name, value] of Object.entries(fields)) answer.expectMember(answer.object(), name, value)
}

/** The answer refuses, and what is at the path stays as it was. */
export async function expectRefused(
  probe: Probe,
  path: string,
  ask: () => Promise<Answer>,
  status: number,
  code: string,
): Promise<void> {
  const before = await read(probe, path)
  ;(await ask()).expectError(status, code)
  const now = await read(probe, path)
  for (const [name, value] of before.object()) now.expectMember(now.object(), name, value)
}

/** The events of `path`, the last one of which must be of this type. */
export async function lastEvent(probe: Probe, query: string, type: string): Promise<Answer> {
  const answer = await read(probe, `/store/events?${query}&limit=100`)
  const last = answer.objects().at(-1)
  if (last?.get('type') !== type) throw answer.broken(`${type} as the last event`, answer.text)
  return answer
}
