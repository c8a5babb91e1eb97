// listEvents on an empty store, and cursors that have expired.

import { beforeAll, expect, test } from 'bun:test'
import type { Answer } from '../../../../../test/support/service.ts'
import { encodeEventCursor } from '../../../src/domain/events.ts'
import { addPet, describeApi, expectError, type OnStore, turnToNow } from './api.ts'

/** The target of the next link, without /v1. */
const next = ({ headers }: Answer): string =>
  /^<\/v1(\/store\/events\?[^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1] ?? 'no link'

export function events(on: OnStore): void {
  describeApi('listEvents', on, (api) => {
    const get = (path: string) => api.service.get(path)
    beforeAll(() => turnToNow(api))

    test('an empty store has no events, but a link to the next ones', async () => {
      const page = await get('/store/events')
      expect(page.text).toBe('[]')
      const petId = await addPet(api)
      const events = JSON.parse((await get(next(page))).text)
      expect(events).toMatchObject([{ type: 'pet.added', petId, petStatus: 'available', by: 'test' }])
    })

    test('the link repeats `to` as given, even if its year in UTC does not have four digits', async () => {
      for (const to of ['9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+00:01', '2026-11-21T18:00:00.5+01:00']) {
        const page = await get(`/store/events?to=${encodeURIComponent(to)}&limit=1`)
        expect(next(page)).toContain(`&to=${encodeURIComponent(to)}&`)
        expect((await get(next(page))).status).toBe(200)
      }
    })

    test('rejects a cursor without a mark, except before the first event', async () => {
      const { epoch } = await api.service.store.findEnd()
      const at = (id: bigint) => get(`/store/events?cursor=${encodeEventCursor({ epoch, id, mark: undefined })}`)
      expect((await at(0n)).status).toBe(200)
      expectError(await at(1n), 400, 'invalid_parameter', ['cursor must be copied unchanged'])
    })

    test('rejects a cursor of another epoch', async () => {
      const { epoch, ...position } = await api.service.store.findEnd()
      const path = `/store/events?cursor=${encodeEventCursor({ ...position, epoch: epoch + 1n })}`
      for (const each of [path, `${path}&wait=5`]) expectError(await get(each), 410, 'cursor_expired', ['Start again'])
    })
  })
}
