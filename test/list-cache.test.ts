// Answers that are kept and given again: to other callers only where the operation says that its answers are the same for all.

import { afterEach, expect, test } from 'bun:test'
import { handlers } from '../src/http/operations.ts'
import { ok } from '../src/http/response/response.ts'
import { type Service, startService } from './support/service.ts'

const { listPets } = handlers
let service: Service | undefined
afterEach(async () => {
  handlers.listPets = listPets
  await service?.stop()
  service = undefined
})

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

/** Two callers, each several times and in turns: what each was told. */
async function askedInTurns(): Promise<[string[], string[]]> {
  service = await startService()
  const keys = [service.key, await service.addKey()]
  const told: [string[], string[]] = [[], []]
  for (let n = 0; n < 4; n++) {
    for (const [index, key] of keys.entries()) {
      told[index]?.push(await (await fetch(`${service.url}/pets`, bearer(key))).text())
    }
  }
  return told
}

test('an operation that is not shared runs for each caller', async () => {
  handlers.listPets = async (_services, { id }) => ok(`["${id}"]`)
  const [one, two] = await askedInTurns()
  expect(new Set(one)).toEqual(new Set(['["1"]']))
  expect(new Set(two)).toEqual(new Set(['["2"]']))
})

test('an operation marked as shared runs once or twice for all callers', async () => {
  let asked = 0
  handlers.listPets = Object.assign(async () => ok(`["${++asked}"]`), { shared: true })
  const [one, two] = await askedInTurns()
  expect([one.length, two.length, asked]).toEqual([4, 4, 2])
})

test('only lists and the inventory are shared', () => {
  const marked = Object.entries(handlers).flatMap(([id, { shared }]) => (shared ? [id] : []))
  expect(marked).toEqual(['listPets', 'listOrders', 'getInventory'])
})
