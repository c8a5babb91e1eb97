// Rows that every create has about Idempotency-Key: a repeated request is carried out once.

import { parseJson } from '../../../../contract/src/json.ts'
import type { Answer } from '../../answer.ts'
import { JSON_TYPE, type Probe, type RequestOptions } from '../../probe.ts'
import type { BodyFamily } from './promise.ts'
import { type Check, familyOf, header, parameter, response, writing } from './rows.ts'

const INVALID_KEYS = ['', '""', '"', '"a', 'a"', '"a"b"', 'a b', 'a,b', '"a", "b"', '"\\a"', '"a";p=1', 'x'.repeat(256)]

/** Returns an unused Idempotency-Key. */
export const newKey = () => `"${crypto.randomUUID()}"`
export const under = (key: string) => ({ headers: { ...JSON_TYPE, 'Idempotency-Key': key } })
export const expectReplay = (again: Answer, first: Answer) =>
  again.expectStatus(201).expectHeader('Location', first.header('Location')).expectText(first.text)

/** Returns the same object in another JSON notation. */
function rewritten(json: string): string {
  const members = [...(parseJson(json) as Map<string, unknown>).keys()].map((name) => {
    const [, value = ''] = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"|[^,}]+)`).exec(json) ?? []
    return `"${name}" : ${/^\d+$/.test(value) ? `${value}.0` : value}`
  })
  return `{ ${members.reverse().join(' , ')} , "x" : 1 }`
}

/** Sends a create, and returns its response and a function that repeats it, optionally with another key or body. */
export async function createOnce({ body, send }: BodyFamily, probe: Probe, key = newKey(), options?: RequestOptions) {
  const json = await body(probe)
  const first = (await send(probe, json, { ...options, ...under(key) })).expectStatus(201)
  return { key, json, first, repeat: (other = key, written = json) => send(probe, written, under(other)) }
}

type Change = (probe: Probe, id: string) => Promise<unknown>
/** Expects a create to be replayed after each of these changes of what it created. */
export function replaysAfter(family: BodyFamily, ...changes: Change[]): Check {
  return async (probe) => {
    for (const change of changes) {
      const { first, repeat } = await createOnce(family, probe)
      await change(probe, first.id)
      expectReplay(await repeat(), first)
    }
  }
}

export function idempotencyRows(family: BodyFamily) {
  const { id, body, others, send } = family
  const { row, of } = familyOf(id)
  const source = parameter(of, 'Idempotency-Key')
  const replay = writing(`${id}.idempotency.replay`)
  const once = (probe: Probe, key = newKey(), options: RequestOptions = {}) => createOnce(family, probe, key, options)
  return [
    row(`${id}.idempotency.replay`, 'The same request with the same Idempotency-Key returns the first response again.')
      .from(source, writing(`${id}.success`))
      .check(async (probe) => {
        const { first, repeat } = await once(probe)
        for (const again of [await repeat(), await repeat()])
          expectReplay(again, first).expectHeader('Content-Type', first.header('Content-Type'))
      }),
    row(`${id}.idempotency.replayed-header`, 'A replay has Idempotency-Replayed: true, and the first ETag.')
      .from([header('IdempotencyReplayed'), header('ETag')], writing(`${id}.idempotency.replay`, `${id}.etag`))
      .check(async (probe) => {
        const { first, repeat } = await once(probe)
        first.expectHeader('Idempotency-Replayed', undefined)
        ;(await repeat()).expectHeader('Idempotency-Replayed', 'true').expectHeader('ETag', first.header('ETag'))
      }),
    row(`${id}.idempotency.quotes`, 'An Idempotency-Key is the same with quotes and escapes, and without.')
      .from([source, 'RFC 8941, section 3.3.3'], replay)
      .check(async (probe) => {
        const key = crypto.randomUUID()
        const plain = await once(probe, `"${key}"`)
        expectReplay(await plain.repeat(key), plain.first)
        const escaped = await once(probe, `"${key}\\\\x"`)
        expectReplay(await escaped.repeat(`${key}\\x`), escaped.first)
      }),
    row(`${id}.idempotency.meaning`, 'Spaces, the order of fields and 7.0 for 7 do not make a different request.')
      .from(source, replay)
      .check(async (probe) => {
        const { key, json, first, repeat } = await once(probe)
        expectReplay(await repeat(key, rewritten(json)), first)
      }),
    row(`${id}.idempotency.mismatch`, 'Another request with a used Idempotency-Key: 422. The first is still replayed.')
      .from(response(of, 422), replay)
      .check(async (probe) => {
        const { key, json, first, repeat } = await once(probe)
        for (const other of others(json)) (await repeat(key, other)).expectError(422, 'idempotency_mismatch')
        expectReplay(await repeat(), first)
      }),
    row(`${id}.idempotency.distinct`, 'Idempotency-Keys that differ only in case or in character 255 are different.')
      .from(source, writing(`${id}.idempotency.mismatch`))
      .check(async (probe) => {
        const [key, long] = [crypto.randomUUID(), crypto.randomUUID().padEnd(254, 'x')]
        for (const one of [`${key}a`, `${key}A`, `${long}a`, `${long}b`])
          (await once(probe, `"${one}"`)).first.expectHeader('Idempotency-Replayed', undefined)
      }),
    row(`${id}.idempotency.together`, 'Simultaneous requests with one key have one effect. Some can get a 409.')
      .from(response(of, 409), replay)
      .check(async (probe) => {
        const [key, json] = [newKey(), await body(probe)]
        const all = await Promise.all(Array.from({ length: 6 }, () => send(probe, json, under(key))))
        const taken = all.filter(({ status }) => status === 201)
        for (const answer of all) {
          if (answer.status === 201) answer.expectText(taken[0]?.text ?? '')
          else answer.expectError(409, 'idempotency_in_flight')
        }
        ;(await send(probe, json, under(key))).expectStatus(201)
      }),
    row(`${id}.idempotency.other-key`, 'Each API key has its own Idempotency-Keys.')
      .from(source, { needs: ['write', 'other key'], premises: [`${id}.idempotency.replay`] })
      .check(async (probe) => {
        const { key, first } = await once(probe)
        const { first: second } = await once(probe, key, { key: 'other' })
        second.expectHeader('Idempotency-Replayed', undefined)
        second.expect(first.id !== second.id, 'a separate response', second.text)
      }),
    row(`${id}.idempotency.refused`, 'The Idempotency-Key of a refused request can be reused.')
      .from(source, writing(`${id}.success`))
      .check(async (probe) => {
        const key = newKey()
        ;(await send(probe, '{}', under(key))).expectStatus(400)
        ;(await once(probe, key)).first.expectHeader('Idempotency-Replayed', undefined)
      }),
    row(`${id}.idempotency.invalid`, 'An empty, too long or wrongly quoted Idempotency-Key: 400 invalid_parameter.')
      .from(source, { needs: ['write'] })
      .check(async (probe) => {
        const json = await body(probe)
        for (const key of INVALID_KEYS) (await send(probe, json, under(key))).expectError(400, 'invalid_parameter')
      }),
  ]
}
