// What the service answers, for each store: a store's test file calls this. Each subject has a file in scenarios/ and a
// service of its own; one subject alone: `bun test packages/service/test/http/api.sqlite.test.ts -t listPets`. Every answer is checked against
// openapi.yaml, and the last test asks whether every declared one was seen.

import { describe, expect, test } from 'bun:test'
import { declaredAnswers, exampleMessages, shapeOf } from '../../../../test/support/contract-check.ts'
import { OVERLOADED } from '../../src/domain/petstore-error.ts'
import type { OnStore } from './scenarios/api.ts'
import { bodies } from './scenarios/bodies.ts'
import { changes } from './scenarios/changes.ts'
import { cursors } from './scenarios/cursors.ts'
import { events } from './scenarios/events.ts'
import { getPet } from './scenarios/get-pet.ts'
import { idempotencyKey } from './scenarios/idempotency-key.ts'
import { keys } from './scenarios/keys.ts'
import { listPets } from './scenarios/list-pets.ts'
import { messages } from './scenarios/messages.ts'
import { orderExpiry } from './scenarios/order-expiry.ts'
import { promises } from './scenarios/promises.ts'
import { rateLimit } from './scenarios/rate-limit.ts'
import { search } from './scenarios/search.ts'
import { storeFailures } from './scenarios/store-failures.ts'

/** `newAddress` gives the address of an empty store, another one each time. */
export function apiScenarios(name: string, newAddress: OnStore['newAddress']): void {
  describe(`the API on ${name}`, () => {
    const observed = new Set<string>()
    // endurance/test/load.release.test.ts meets this one.
    const told = new Set([shapeOf(OVERLOADED.message)])
    const observe: OnStore['observe'] = (name, { status, text }) => {
      observed.add(name)
      if (status >= 400 && text !== '') told.add(shapeOf(JSON.parse(text).message))
    }
    const subjects = [
      ...[promises, bodies, changes, cursors, events, getPet, idempotencyKey, keys, listPets],
      ...[messages, orderExpiry, rateLimit, search, storeFailures],
    ]
    for (const subject of subjects) subject({ newAddress, observe })

    test('every answer that the contract declares was seen, and no other', () => {
      expect([...observed].sort()).toEqual(declaredAnswers().sort())
    })

    test('the errors that the contract shows as examples are those that the service sends', () => {
      expect(exampleMessages().length).toBeGreaterThan(10)
      expect(exampleMessages().filter((message) => !told.has(shapeOf(message)))).toEqual([])
    })
  })
}
