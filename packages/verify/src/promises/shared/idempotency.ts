// What an Idempotency-Key promises: that a repeated request is carried out once. One family of rows, for pets and for orders.

import { parseJson } from '../../../../contract/src/json.ts'
import { type Answer, textOf } from '../../answer.ts'
import { JSON_TYPE, type Probe, type RequestOptions } from '../../probe.ts'
import type { BodyFamily } from './family.ts'
import type { PromiseRow } from './promise.ts'
import { type Check, header, parameter, response, rowsOf, writing } from './rows.ts'

const INVALID_KEYS = ['', '""', '"', '"a', 'a"', '"a"b"', 'a b', 'a,b', '"a", "b"', '"\\a"', '"a";p=1', 'x'.repeat(256)]

export function idempotencyRows(family: BodyFamily): PromiseRow[] {
  return [...replayRows(family), ...otherRows(family), ...keyRows(family)]
}

const newKey = () => crypto.randomUUID()

function under(
  { send }: BodyFamily,
  probe: Probe,
  key: string,
  json: string,
  options: RequestOptions = {},
): Promise<Answer> {
  return send(probe, json, { ...options, headers: { ...JSON_TYPE, 'Idempotency-Key': key } })
}

interface Repeat {
  key?: (key: string) => string
  json?: (json: string) => string
}

/** The answers to a request and to its repeat, which may be written in another way. */
async function twice(family: BodyFamily, probe: Probe, { key: rekey, json: rewrite }: Repeat = {}) {
  const [key, json] = [`"${newKey()}"`, await family.body(probe)]
  const first = (await under(family, probe, key, json)).expectStatus(201)
  return { first, again: await under(family, probe, rekey?.(key) ?? key, rewrite?.(json) ?? json) }
}

function same({ first, again }: { first: Answer; again: Answer }): void {
  again.expectStatus(201)
  if (again.text !== first.text) throw again.broken(`the first answer: ${first.text}`, again.text)
}

/** The same object, written in another way. */
function rewritten(json: string): string {
  const members = [...(parseJson(json) as Map<string, unknown>).keys()].map((name) => {
    const [, value = ''] = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"|[^,}]+)`).exec(json) ?? []
    return `"${name}" : ${/^\d+$/.test(value) ? `${value}.0` : value}`
  })
  return `{ ${members.reverse().join(' , ')} , "x" : 1 }`
}

function replayRows(family: BodyFamily): PromiseRow[] {
  const { level, id, operation: of, body } = family
  const row = rowsOf(level)
  const source = parameter(of, 'Idempotency-Key')
  const replay = writing(`${id}.idempotency.replay`)
  const replayed: Check = async (probe) => {
    const { first, again } = await twice(family, probe)
    first.expectHeader('Idempotency-Replayed', undefined)
    again.expectHeader('Idempotency-Replayed', 'true')
  }
  return [
    row(`${id}.idempotency.replay`, 'The same request under the same Idempotency-Key gets the first answer again.')
      .from(source, writing(`${id}.success`))
      .check(async (probe) => {
        const [key, json] = [`"${newKey()}"`, await body(probe)]
        const send = () => under(family, probe, key, json)
        const first = (await send()).expectStatus(201)
        for (const again of [await send(), await send()]) {
          same({ first, again })
          again.expectHeader('Content-Type', first.header('Content-Type'))
        }
      }),
    row(`${id}.idempotency.replayed-header`, 'A replay has Idempotency-Replayed: true, and the first answer has none.')
      .from(header('IdempotencyReplayed'), replay)
      .check(replayed),
    row(`${id}.idempotency.etag`, 'A replay has the ETag of the first answer.')
      .from(header('ETag'), writing(`${id}.idempotency.replay`, `${id}.etag`))
      .check(async (probe) => {
        const { first, again } = await twice(family, probe)
        again.expectHeader('ETag', first.header('ETag'))
      }),
    row(`${id}.idempotency.quotes`, 'An Idempotency-Key is the same with and without quotes.')
      .from(source, replay)
      .check(async (probe) => same(await twice(family, probe, { key: (key) => key.slice(1, -1) }))),
    row(`${id}.idempotency.escapes`, 'A backslash in an Idempotency-Key in quotes is written twice.')
      .from('RFC 8941, section 3.3.3', writing(`${id}.idempotency.quotes`))
      .check(async (probe) => {
        const [key, json] = [newKey(), await body(probe)]
        const first = (await under(family, probe, `"${key}\\\\x"`, json)).expectStatus(201)
        same({ first, again: await under(family, probe, `${key}\\x`, json) })
      }),
    row(
      `${id}.idempotency.meaning`,
      'A request is the same by its meaning: spaces, order and 7.0 for 7 make no difference.',
    )
      .from(source, replay)
      .check(async (probe) => same(await twice(family, probe, { json: rewritten }))),
  ]
}

function otherRows(family: BodyFamily): PromiseRow[] {
  const { level, id, operation: of, body, others } = family
  const row = rowsOf(level)
  const source = parameter(of, 'Idempotency-Key')
  const replay = writing(`${id}.idempotency.replay`)
  const together: Check = async (probe) => {
    const [key, json] = [`"${newKey()}"`, await body(probe)]
    const all = await Promise.all(Array.from({ length: 6 }, () => under(family, probe, key, json)))
    const taken = all.map((answer) => answer.expectStatus(201, 409)).filter(({ status }) => status === 201)
    for (const answer of all.filter(({ status }) => status === 409)) answer.expectError(409, 'idempotency_in_flight')
    const [first, another] = [taken[0], taken.find(({ text }) => text !== taken[0]?.text)]
    if (another) throw another.broken(`one answer: ${first?.text}`, another.text)
    ;(await under(family, probe, key, json)).expectStatus(201)
  }
  return [
    row(
      `${id}.idempotency.mismatch`,
      'Another request under a used Idempotency-Key: 422 idempotency_mismatch, and the first answer is kept.',
    )
      .from(response(of, 422), replay)
      .check(async (probe) => {
        const [key, json] = [`"${newKey()}"`, await body(probe)]
        const first = (await under(family, probe, key, json)).expectStatus(201)
        for (const other of others(json))
          (await under(family, probe, key, other)).expectError(422, 'idempotency_mismatch')
        same({ first, again: await under(family, probe, key, json) })
      }),
    row(
      `${id}.idempotency.distinct`,
      'Idempotency-Keys that differ in case, or in the last of 255 characters, are two.',
    )
      .from(source, writing(`${id}.idempotency.longest`, `${id}.idempotency.mismatch`))
      .check(async (probe) => {
        const [key, long] = [newKey(), newKey().padEnd(254, 'x')]
        for (const pair of [
          [`${key}a`, `${key}A`],
          [`${long}a`, `${long}b`],
        ]) {
          for (const one of pair) {
            const answer = (await under(family, probe, `"${one}"`, await body(probe))).expectStatus(201)
            answer.expectHeader('Idempotency-Replayed', undefined)
          }
        }
      }),
    row(
      `${id}.idempotency.together`,
      'Of requests with one Idempotency-Key at the same time one is carried out; the others get its answer, or 409 idempotency_in_flight.',
    )
      .from(response(of, 409), replay)
      .check(together),
    row(`${id}.idempotency.other-key`, 'Each API key has Idempotency-Keys of its own.')
      .from(source, { needs: ['write', 'other key'], after: [`${id}.idempotency.replay`] })
      .check(async (probe) => {
        const key = `"${newKey()}"`
        const first = (await under(family, probe, key, await body(probe))).expectStatus(201)
        const second = (await under(family, probe, key, await body(probe), { key: 'other' })).expectStatus(201)
        second.expectHeader('Idempotency-Replayed', undefined)
        const [one, another] = [first, second].map((answer) => textOf(answer.object().get('id')))
        if (one === another) throw second.broken('an answer of its own', second.text)
      }),
  ]
}

function keyRows(family: BodyFamily): PromiseRow[] {
  const { level, id, operation: of, body } = family
  const row = rowsOf(level)
  const source = parameter(of, 'Idempotency-Key')
  const reused: Check = async (probe) => {
    const key = `"${newKey()}"`
    ;(await under(family, probe, key, '{}')).expectStatus(400)
    ;(await under(family, probe, key, await body(probe)))
      .expectStatus(201)
      .expectHeader('Idempotency-Replayed', undefined)
  }
  return [
    row(`${id}.idempotency.refused`, 'The Idempotency-Key of a refused request can be used again.')
      .from(source, writing(`${id}.success`))
      .check(reused),
    row(`${id}.idempotency.longest`, 'An Idempotency-Key may have 255 characters.')
      .from(source, writing(`${id}.success`))
      .check(async (probe) =>
        (await under(family, probe, `"${newKey().padEnd(255, 'x')}"`, await body(probe))).expectStatus(201),
      ),
    row(
      `${id}.idempotency.invalid`,
      'An Idempotency-Key that is empty, too long or wrongly quoted: 400 invalid_parameter.',
    )
      .from(source, { needs: ['write'] })
      .check(async (probe) => {
        for (const key of INVALID_KEYS)
          (await under(family, probe, key, await body(probe))).expectError(400, 'invalid_parameter')
      }),
  ]
}
