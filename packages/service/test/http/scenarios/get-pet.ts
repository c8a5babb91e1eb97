// The removal of getPet. metrics.process.test.ts tests the count of its calls.

import { beforeAll, expect, test } from 'bun:test'
import { TODAY } from '../../../../../test/support/service.ts'
import { DAY_MS, describeApi, expectError, type OnStore, PET } from './api.ts'

const SUNSET = Date.UTC(2030, 11, 5)

export function getPet(on: OnStore): void {
  describeApi('getPet', on, (api) => {
    beforeAll(() => api.service.post(PET))

    test('is removed at its sunset, and not before', async () => {
      api.service.clock.at = SUNSET - 1
      expect((await api.service.get('/pets/1')).status).toBe(200)
      api.service.clock.at = SUNSET
      const told = ['2030-12-05', '/v1/pets?status=available']
      expectError(await api.service.get('/pets/1'), 410, 'operation_removed', told)
      expect((await api.service.get('/pets/1', { Authorization: '' })).status).toBe(401)
      api.service.clock.at = TODAY
    })

    test('continues after its sunset with PETSTORE_SUNSET=announce', async () => {
      const patient = await api.start({ enforceSunset: false })
      patient.clock.at = SUNSET + DAY_MS
      expect((await patient.get('/pets/1')).status).toBe(404)
    })
  })
}
