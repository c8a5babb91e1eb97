// What all corrections promise: an id, a key that may write, preconditions, and a body of the fields to change. One family of rows, for pets and
// for orders.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import { correct, expectRefused, read } from '../../corrections.ts'
import { absentId } from '../../fixtures.ts'
import type { Probe, RequestOptions } from '../../probe.ts'
import type { PromiseRow } from './promise.ts'
import { type Check, documented, header, operation, refuses, response, rowsOf, writing } from './rows.ts'

const row = rowsOf('store')

export interface Correction {
  id: string
  operation: OperationId
  /** Something that can be corrected. */
  path(probe: Probe): Promise<string>
  /** What stands before the id. */
  folder: '/pets' | '/store/orders'
  ask(probe: Probe, path: string, options?: RequestOptions): Promise<Answer>
  status: 200 | 204
  /** A body that changes nothing, where one is taken. */
  same?: (before: Answer) => string
  /** The promise of the tag that GET shows. */
  tag: string
}

const NO_IDS = ['9223372036854775808', '1.0', '01', '%2B1', 'x', '%20', '-0']

/** What all that has an id promises of others. `ask` asks for it with that id. */
export function idRows(
  id: string,
  of: OperationId,
  ask: (probe: Probe, id: string, options?: RequestOptions) => Promise<Answer>,
): PromiseRow[] {
  return [
    row(`${id}.not-found`, 'Where nothing has the id: 404 not_found, whatever the preconditions.')
      .from(response(of, 404), { needs: ['write'] })
      .check(async (probe) => {
        for (const headers of [{}, { 'If-Match': '"x"' }])
          (await ask(probe, absentId(), { headers })).expectError(404, 'not_found')
      }),
    row(`${id}.no-id`, 'An id that is not an int64 in plain decimal: 404 not_found.')
      .from(operation(of, 'parameters', 0), writing(`${id}.not-found`))
      .check(async (probe) => {
        for (const one of NO_IDS) (await ask(probe, one)).expectError(404, 'not_found')
      }),
  ]
}

/** What all corrections have in common: an id, a key that may write, and preconditions. */
export function correctionRows({ id, operation: of, path, folder, ask, status, same, tag }: Correction): PromiseRow[] {
  const done = writing(`${id}.success`)
  const tagged = writing(`${id}.success`, tag)
  const [ifMatch, ifNoneMatch] = [1, 2].map((index) => operation(of, 'parameters', index)) as [string, string]
  const conditional =
    (...cases: (readonly [(tag: string) => Record<string, string>, number])[]): Check =>
    async (probe) => {
      for (const [conditions, expected] of cases) {
        const at = await path(probe)
        const headers = conditions((await read(probe, at)).header('ETag') ?? '')
        if (expected === status) (await ask(probe, at, { headers })).expectStatus(status)
        else await expectRefused(probe, at, () => ask(probe, at, { headers }), expected, 'precondition_failed')
      }
    }
  return [
    ...idRows(id, of, (probe, wanted, options) => ask(probe, `${folder}/${wanted}`, options)),
    row(`${id}.no-key`, 'Without an API key: 401 missing_api_key, and nothing changes.')
      .from(response(of, 401), done)
      .check(async (probe) => {
        const at = await path(probe)
        await expectRefused(probe, at, () => ask(probe, at, { key: 'none' }), 401, 'missing_api_key')
      }),
    row(`${id}.read-only-key`, 'With an API key that may only read: 403 read_only_key, and nothing changes.')
      .from(response(of, 403), { needs: ['write', 'read-only key'], after: [`${id}.success`] })
      .check(async (probe) => {
        const at = await path(probe)
        await expectRefused(probe, at, () => ask(probe, at, { key: 'read-only' }), 403, 'read_only_key')
      }),
    row(
      `${id}.if-match`,
      'If-Match with the tag, or *: it is done. With another or a weak tag: 412 precondition_failed, and nothing changes.',
    )
      .from(ifMatch, tagged)
      .check(
        conditional(
          [(tag) => ({ 'If-Match': `"x", ${tag}` }), status],
          [() => ({ 'If-Match': '*' }), status],
          [() => ({ 'If-Match': '"x"' }), 412],
          [(tag) => ({ 'If-Match': `W/${tag}` }), 412],
        ),
      ),
    row(`${id}.if-none-match`, 'If-None-Match with the tag, or *: 412 precondition_failed, and nothing changes.')
      .from(ifNoneMatch, tagged)
      .check(
        conditional(
          [(tag) => ({ 'If-None-Match': tag }), 412],
          [() => ({ 'If-None-Match': '*' }), 412],
          [() => ({ 'If-None-Match': '"x"' }), status],
        ),
      ),
    row(`${id}.idempotency-key`, 'An Idempotency-Key is ignored: under one key each request is carried out.')
      .from(documented('The store area', 'What a correction says'), done)
      .check(async (probe) => {
        const headers = { 'Idempotency-Key': `"${crypto.randomUUID()}"` }
        const [one, other] = [await path(probe), await path(probe)]
        for (const at of same ? [one, one, other] : [one, other]) {
          const answer = (await ask(probe, at, { headers })).expectStatus(status)
          const now = same && (await read(probe, at)).text
          if (now && now !== answer.text) throw answer.broken(now, answer.text)
        }
      }),
    row(
      `${id}.together`,
      `Of many ${status === 204 ? 'deletions' : 'different corrections'} with the same tag in If-Match, one succeeds.`,
    )
      .from(ifMatch, writing(`${id}.if-match`))
      .check(async (probe) => {
        const at = await path(probe)
        const headers = { 'If-Match': (await read(probe, at)).header('ETag') }
        const answers = await Promise.all(Array.from({ length: 6 }, () => ask(probe, at, { headers })))
        const [first, ...others] = answers.filter((answer) => answer.status === status)
        if (!first || others.length > 0)
          throw answers[0]?.broken(`one ${status}`, `${others.length + (first ? 1 : 0)} of them`)
      }),
    ...(same ? bodyRows({ id, operation: of, path, ask, same, tag }) : []),
  ]
}

/** Of those with a body. */
function bodyRows({ id, operation: of, path, ask, same, tag }: Omit<Required<Correction>, 'folder' | 'status'>) {
  const invalid = of === 'updatePet' ? 'invalid_pet' : 'invalid_order'
  const done = writing(`${id}.success`)
  const bad = (code: string, ...bodies: string[]): Check => {
    return async (probe) => {
      const at = await path(probe)
      for (const body of bodies) await expectRefused(probe, at, () => correct(probe, at, body), 400, code)
    }
  }
  const source = response(of, 400)
  return [
    row(`${id}.nothing`, `A body that names nothing that can be changed: 400 ${invalid}.`)
      .from(source, done)
      .check(bad(invalid, '{}', '{"x":1}', '[]', '{"id":7}')),
    row(`${id}.json.broken`, 'A body that is not JSON, or has the same name twice: 400 malformed_json.')
      .from(source, done)
      .check(bad('malformed_json', '{"name":', '{"x":1,"x":1}', '')),
    row(`${id}.media-type.other`, 'Another media type: 415 unsupported_media_type.')
      .from(response(of, 415), writing(`${id}.success`, 'pets.create.media-type.other'))
      .check(async (probe) => {
        const at = await path(probe)
        for (const type of ['text/plain', 'application/merge-patch+json']) {
          const options = { headers: { 'Content-Type': type } }
          await expectRefused(probe, at, () => ask(probe, at, options), 415, 'unsupported_media_type')
        }
      }),
    row(`${id}.accept-patch`, 'Accept-Patch names application/json: on a 415 and on OPTIONS.')
      .from(header('AcceptPatch'), writing(`${id}.media-type.other`))
      .check(async (probe) => {
        const at = await path(probe)
        const refused = await ask(probe, at, { headers: { 'Content-Type': 'text/plain' } })
        for (const answer of [refused, await probe.ask(`OPTIONS ${at}`)]) {
          answer.expectHeader('Accept-Patch', 'application/json')
        }
      }),
    row(`${id}.size.too-large`, 'A body over 64 KiB: 413 body_too_large.')
      .from(response(of, 413), writing(`${id}.success`, 'pets.create.size.too-large'))
      .check(
        refuses(async (probe) => correct(probe, await path(probe), { x: 'x'.repeat(65_536) }), 413, 'body_too_large'),
      ),
    row(`${id}.same.conditions`, 'What is equal already: 200 with a false If-Match, 412 with a false If-None-Match.')
      .from(operation(of, 'description'), writing(`${id}.same`, `${id}.if-match`, `${id}.if-none-match`))
      .check(async (probe) => {
        const at = await path(probe)
        const before = await read(probe, at)
        const tag = before.header('ETag')
        const again = (headers: Record<string, string | undefined>) => correct(probe, at, same(before), { headers })
        ;(await again({ 'If-Match': '"x"' })).expectStatus(200).expectHeader('ETag', tag)
        ;(await again({ 'If-None-Match': tag })).expectError(412, 'precondition_failed')
      }),
    row(`${id}.etag`, 'The answer has the tag that GET shows.')
      .from(header('ETag'), writing(`${id}.success`, tag))
      .check(async (probe) => {
        const at = await path(probe)
        const tag = (await ask(probe, at)).expectStatus(200).header('ETag')
        ;(await read(probe, at)).expectHeader('ETag', tag)
      }),
  ]
}
