// Rows that every change of one pet or order has: id, API key, preconditions, and the body of a PATCH.

import type { OperationId } from '../../../../contract/src/contract.ts'
import { BODY_BYTES_MAX } from '../../../../contract/src/limits.ts'
import type { Answer } from '../../answer.ts'
import { absentId } from '../../fixtures.ts'
import type { Probe, RequestOptions } from '../../probe.ts'
import { wrongIntegers } from '../../wrong-values.ts'
import { newKey, under } from './idempotency.ts'
import { keyRows } from './key-rows.ts'
import { type Check, familyOf, header, lineOf, ofStore, operation, response, rowsOf, writing } from './rows.ts'
import { fieldRows, wrongFields } from './wrong-rows.ts'

const row = rowsOf('store')

type Send = () => Promise<Answer>
type Ask = (probe: Probe, path: string, options?: RequestOptions) => Promise<Answer>

interface Change {
  /** The start of the ids: `pets.update`. */
  id: string
  /** Resolves with the path of something that can be changed. */
  path(probe: Probe): Promise<string>
  /** Requests the change. */
  ask: Ask
}

interface Correction extends Change {
  /** Returns a body that changes nothing, if the operation has a body. */
  same?: (before: Answer) => string
}

const successOf = (of: OperationId) => (lineOf(of).startsWith('DELETE') ? 204 : 200)

/** Expects each request to be rejected, and the resource at the path to stay the same. */
export async function expectRefused(probe: Probe, path: string, status: number, code: string, ...requests: Send[]) {
  const before = await probe.read(path)
  for (const request of requests) (await request()).expectError(status, code)
  ;(await probe.read(path)).expectMembers(before.object())
}

/** Returns functions that send each wrong value of this promise, for `expectRefused`. */
export function wrongPatches(id: string, probe: Probe, path: string): Send[] {
  return wrongFields(id).map((change) => () => probe.patch(path, change))
}

/** Resolves with the events that the query selects, and expects the last one to have this type. */
export async function eventsUntil(probe: Probe, query: string, type: string): Promise<Answer> {
  const answer = await probe.read(`/store/events?${query}&limit=100`)
  return answer.expect(answer.objects().at(-1)?.get('type') === type, `${type} as the last event`, answer.text)
}

/** Rows about unknown and invalid ids. `ask` sends a request with that id. */
export function idRows(id: string, needs: readonly 'write'[], ask: Ask) {
  const { of } = familyOf(id)
  return [
    row(`${id}.not-found`, 'An unknown id: 404 not_found, with or without preconditions.')
      .from(response(of, 404), { needs })
      .check(async (probe) => {
        for (const headers of [{}, { 'If-Match': '"x"' }])
          (await ask(probe, absentId(), { headers })).expectError(404, 'not_found')
      }),
    row(`${id}.no-id`, 'An id that is not an int64 in plain decimal: 404 not_found.')
      .from(operation(of, 'parameters', 0), { needs, premises: [`${id}.not-found`] })
      .check(async (probe) => {
        for (const one of wrongIntegers('1')) (await ask(probe, encodeURIComponent(one))).expectError(404, 'not_found')
      }),
  ]
}

/** Rows for the id, API key and preconditions of a change. */
export function changeRows({ id, path, ask }: Change) {
  const { of, path: template, tag } = familyOf(id)
  const tagged = writing(`${id}.success`, tag)
  const [ifMatch, ifNoneMatch] = [1, 2].map((index) => operation(of, 'parameters', index)) as [string, string]
  /** Expects the header values in `refused` to change nothing, and each one in `taken` to succeed. */
  const conditional = (name: string, refused: readonly string[], taken: readonly string[]): Check => {
    return async (probe) => {
      let at = await path(probe)
      const send = (value: string, tag = '') => ask(probe, at, { headers: { [name]: value.replace('TAG', () => tag) } })
      const currentTag = async () => (await probe.read(at)).header('ETag')
      const tag = await currentTag()
      await expectRefused(probe, at, 412, 'precondition_failed', ...refused.map((value) => () => send(value, tag)))
      for (const [n, value] of taken.entries()) {
        if (n > 0) at = await path(probe)
        ;(await send(value, n > 0 ? await currentTag() : tag)).expectStatus(successOf(of))
      }
    }
  }
  return [
    ...idRows(id, ['write'], (probe, wanted, options) => ask(probe, template.replace(/\{.*/, wanted), options)),
    ...keyRows(id, [`${id}.success`], async (probe, options, status, code) => {
      const at = await path(probe)
      await expectRefused(probe, at, status, code, () => ask(probe, at, options))
    }),
    row(`${id}.if-match`, 'If-Match with the ETag or * succeeds. Another or a weak ETag: 412, and nothing changes.')
      .from(ifMatch, tagged)
      .check(conditional('If-Match', ['"x"', '"x", "y"', 'W/TAG'], ['"x", TAG', 'TAG, "x"', '*'])),
    row(`${id}.if-none-match`, 'If-None-Match with the ETag or *: 412 precondition_failed, and nothing changes.')
      .from(ifNoneMatch, tagged)
      .check(conditional('If-None-Match', ['TAG', 'W/TAG', '*'], ['"x"'])),
  ]
}

/** Rows of a PATCH, or of the deletion of a pet. */
export function correctionRows({ same, ...change }: Correction) {
  const { id, path, ask } = change
  const { of } = familyOf(id)
  const status = successOf(of)
  return [
    ...changeRows(change),
    row(`${id}.idempotency-key`, 'An Idempotency-Key is ignored: each request with the same key is carried out.')
      .from(ofStore('What a correction says'), writing(`${id}.success`))
      .check(async (probe) => {
        const { headers } = under(newKey())
        const [one, other] = [await path(probe), await path(probe)]
        for (const at of same ? [one, one, other] : [one, other]) {
          const answer = (await ask(probe, at, { headers })).expectStatus(status)
          if (same) answer.expectText((await probe.read(at)).text)
        }
      }),
    row(`${id}.together`, 'Of several simultaneous requests with the same ETag in If-Match, one succeeds.')
      .from(operation(of, 'parameters', 1), writing(`${id}.if-match`))
      .check(async (probe) => {
        const at = await path(probe)
        const headers = { 'If-Match': (await probe.read(at)).header('ETag') }
        const answers = await Promise.all(Array.from({ length: 6 }, () => ask(probe, at, { headers })))
        const { length } = answers.filter((answer) => answer.status === status)
        if (length !== 1) throw answers[0]?.broken(`one ${status}`, `${length} of them`)
      }),
    ...(same ? bodyRows({ ...change, same }) : []),
  ]
}

/** Rows for the body of a PATCH. */
function bodyRows({ id, path, ask, same }: Required<Correction>) {
  const { of, tag } = familyOf(id)
  const invalid = of === 'updatePet' ? 'invalid_pet' : 'invalid_order'
  const done = writing(`${id}.success`)
  const bad = (code: string, ...bodies: string[]): Check => {
    return async (probe) => {
      const at = await path(probe)
      await expectRefused(probe, at, 400, code, ...bodies.map((body) => () => probe.patch(at, body)))
    }
  }
  return [
    ...fieldRows(id, invalid, `${id}.success`, async (probe) => {
      const at = await path(probe)
      return (field, value) => probe.patch(at, { [field]: value })
    }),
    row(`${id}.nothing`, `A body without a field that can be changed: 400 ${invalid}.`)
      .from(response(of, 400), done)
      .check(bad(invalid, '{}', '{"x":1}', '[]', '{"id":7}')),
    row(`${id}.json.broken`, 'A body that is not JSON, or has a duplicate name: 400 malformed_json.')
      .from(response(of, 400), done)
      .check(bad('malformed_json', '{"name":', '{"x":1,"x":1}', '')),
    row(`${id}.media-type.other`, 'Another media type: 415. Accept-Patch is application/json, also for OPTIONS.')
      .from([response(of, 415), header('AcceptPatch')], writing(`${id}.success`, 'pets.create.media-type.other'))
      .check(async (probe) => {
        const at = await path(probe)
        const requests = ['text/plain', 'application/merge-patch+json'].map((type) => async () => {
          const answer = await ask(probe, at, { headers: { 'Content-Type': type } })
          return answer.expectHeader('Accept-Patch', 'application/json')
        })
        await expectRefused(probe, at, 415, 'unsupported_media_type', ...requests)
        ;(await probe.ask(`OPTIONS ${at}`)).expectHeader('Accept-Patch', 'application/json')
      }),
    row(`${id}.size.too-large`, `A body over ${BODY_BYTES_MAX / 1024} KiB: 413 body_too_large.`)
      .from(response(of, 413), writing(`${id}.success`, 'pets.create.size.too-large'))
      .check(async (probe) => {
        const answer = await probe.patch(await path(probe), { x: 'x'.repeat(BODY_BYTES_MAX) })
        answer.expectError(413, 'body_too_large')
      }),
    row(`${id}.same.conditions`, 'Equal values: 200 if If-Match fails, 412 if If-None-Match fails.')
      .from(operation(of, 'description'), writing(`${id}.same`, `${id}.if-match`, `${id}.if-none-match`))
      .check(async (probe) => {
        const at = await path(probe)
        const before = await probe.read(at)
        const tag = before.header('ETag')
        const again = (headers: Record<string, string | undefined>) => probe.patch(at, same(before), { headers })
        ;(await again({ 'If-Match': '"x"' })).expectStatus(200).expectHeader('ETag', tag)
        ;(await again({ 'If-None-Match': tag })).expectError(412, 'precondition_failed')
      }),
    row(`${id}.etag`, 'The response has the ETag of GET.')
      .from(header('ETag'), writing(`${id}.success`, tag))
      .check(async (probe) => {
        const at = await path(probe)
        const tag = (await ask(probe, at)).expectStatus(200).header('ETag')
        ;(await probe.read(at)).expectHeader('ETag', tag)
      }),
  ]
}
