// What the service answers, as rows: request, key, expected status, expected code. Every answer is also held against
// openapi.yaml, and the last test asks whether every declared one was seen. A store's test file calls this.
// Each subject has a file in scenarios/; they share one service, so their order counts: each finds what came before it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Api, bearer, expectError, type Row } from './scenarios/api.ts'
import { conditionalRequests } from './scenarios/conditional-requests.ts'
import { createPet } from './scenarios/create-pet.ts'
import { getPet } from './scenarios/get-pet.ts'
import { idempotencyKey } from './scenarios/idempotency-key.ts'
import { keys } from './scenarios/keys.ts'
import { listPets } from './scenarios/list-pets.ts'
import { rateLimit } from './scenarios/rate-limit.ts'
import { storeFailures } from './scenarios/store-failures.ts'
import { declaredAnswers } from './support/contract-check.ts'
import { observed, type Service, startService } from './support/service.ts'

export function apiScenarios(name: string, newAddress: () => Promise<string> | string): void {
  describe(`the API on ${name}`, () => {
    let service: Service
    let readOnly: Record<string, string>

    beforeAll(async () => {
      service = await startService({ address: await newAddress() })
      readOnly = bearer(await service.addKey({ readOnly: true }))
    })
    afterAll(() => service.stop())

    function rows(of: Row[]): void {
      for (const { says, ask, status, code, message = [], ...asked } of of) {
        test(`${says}: ${status}${code ? ` ${code}` : ''}`, async () => {
          const [method = '', path = ''] = ask.split(' ')
          const answer = await service.request(method, path, asked)
          expect(answer.status).toBe(status)
          if (code !== undefined) expectError(answer, status, code, message)
        })
      }
    }

    const api: Api = {
      get service() {
        return service
      },
      get readOnly() {
        return readOnly
      },
      rows,
    }

    createPet(api)
    idempotencyKey(api)
    listPets(api)
    getPet(api)
    keys(api)
    conditionalRequests(api)
    rateLimit(api)
    storeFailures(api)

    test('every answer that the contract declares was seen, and no other', () => {
      expect([...observed].sort()).toEqual(declaredAnswers().sort())
    })
  })
}
