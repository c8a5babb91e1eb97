// What getPet finds, what is no id, and how the operation announces its removal and is removed.

import { beforeAll, expect, test } from 'bun:test'
import { TODAY } from '../support/service.ts'
import { DAY_MS, describeApi, expectError, type OnStore, PET } from './api.ts'

const SUNSET = Date.UTC(2030, 11, 5)

export function getPet(on: OnStore): void {
  describeApi('getPet', on, (api) => {
    beforeAll(() => api.service.post(PET))

    api.rows([
      { description: 'a pet', ask: 'GET /pets/1', status: 200 },
      { description: 'percent-encoded digits', ask: 'GET /pets/%31', status: 200 },
      ...['0', '-1', '999999999', '9223372036854775807', '-9223372036854775808'].map((id) => ({
        description: `no pet has ${id}`,
        ask: `GET /pets/${id}`,
        status: 404,
        code: 'not_found',
        message: [`No pet has id ${id}.`],
      })),
      ...['9223372036854775808', '1.0', '01', '+1', '1e0', 'x', '%20', '1%20', '-0', '%D9%A1', '1;2', '%00'].map(
        (id) => ({
          description: `${id} is no id`,
          ask: `GET /pets/${id}`,
          status: 404,
          code: 'not_found',
          message: [
            'petId must be an integer from -9223372036854775808 to 9223372036854775807, in plain decimal digits.',
          ],
        }),
      ),
    ])

    test('announces its removal on every answer', async () => {
      for (const path of ['/pets/1', '/pets/999999']) {
        const { headers } = await api.service.get(path)
        expect(headers.get('Deprecation')).toBe('@1764892800')
        expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
        expect(headers.get('Link')).toContain('</v1/pets?status=available>; rel="successor-version"')
        expect(headers.get('Link')).toContain('rel="deprecation"')
      }
    })

    test('is removed at its sunset, and not before', async () => {
      api.service.clock.at = SUNSET - 1
      expect((await api.service.get('/pets/1')).status).toBe(200)
      api.service.clock.at = SUNSET
      expectError(await api.service.get('/pets/1'), 410, 'operation_removed', [
        '2030-12-05',
        '/v1/pets?status=available',
      ])
      expect((await api.service.get('/pets/1', { Authorization: '' })).status).toBe(401)
      api.service.clock.at = TODAY
    })

    test('continues after its sunset with PETSTORE_SUNSET=announce', async () => {
      const patient = await api.start({ enforceSunset: false })
      patient.clock.at = SUNSET + DAY_MS
      expect((await patient.get('/pets/1')).status).toBe(404)
    })

    test('is counted, per key', async () => {
      const counted = await api.start()
      await counted.get('/pets/1')
      await counted.get('/pets/2')
      await counted.get('/pets')
      await counted.server.stop(1_000)
      expect(await counted.store.listDeprecatedCalls()).toEqual([
        { keyId: 1n, operationId: 'getPet', calls: 2, lastAt: TODAY },
      ])
    })
  })
}
