// The API on one kind of store. Each subject has a file in scenarios/ and its own service; to run one subject:
// `bun test packages/service/test/http/api.sqlite.test.ts -t keys`. Every response is checked against openapi.yaml.

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
import { messages } from './scenarios/messages.ts'
import { orderExpiry } from './scenarios/order-expiry.ts'
import { promises } from './scenarios/promises.ts'
import { rateLimit } from './scenarios/rate-limit.ts'
import { storeFailures } from './scenarios/store-failures.ts'

/** Each call of `newAddress` returns the address of a new, empty store. */
export function apiScenarios(name: string, newAddress: OnStore['newAddress']): void {
  describe(`the API on ${name}`, () => {
    const observed = new Set<string>()
    // endurance/test/load.release.test.ts covers this message.
    const messagesSeen = new Set([shapeOf(OVERLOADED.message)])
    const observe: OnStore['observe'] = (name, { status, text }) => {
      observed.add(name)
      if (status >= 400 && text !== '') messagesSeen.add(shapeOf(JSON.parse(text).message))
    }
    const subjects = [
      ...[promises, bodies, changes, cursors, events, getPet, idempotencyKey, keys],
      ...[messages, orderExpiry, rateLimit, storeFailures],
    ]
    for (const subject of subjects) subject({ newAddress, observe })

    test('every response that the contract declares was seen, and no others', () => {
      expect([...observed].sort()).toEqual(declaredAnswers().sort())
    })

    test('the service sends the errors that the contract shows as examples', () => {
      expect(exampleMessages().length).toBeGreaterThan(10)
      expect(exampleMessages().filter((message) => !messagesSeen.has(shapeOf(message)))).toEqual([])
    })
  })
}
