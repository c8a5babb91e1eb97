// A client without a service: it records each call and answers as the test defines.

import {
  type Event,
  type Order,
  type Pet,
  PetstoreApiError,
  type PetstoreClient,
} from '../../../client/src/petstore.ts'

type Answers = Record<string, (...args: never[]) => unknown>

/** A call without a response rejects. Tests can change `answers` later. */
export function fakeClient(answers: Answers) {
  const calls: [name: string, ...args: unknown[]][] = []
  const call =
    (name: string) =>
    async (...args: never[]) => {
      calls.push([name, ...args])
      const answer = answers[name]
      if (!answer) throw new Error(`The test defines no answer for ${name}.`)
      return answer(...args)
    }
  const client = new Proxy({}, { get: (_, name) => call(String(name)) }) as PetstoreClient
  return { client, answers, calls, names: () => calls.map(([name]) => name) }
}

export function refused(code: string, status = 409): never {
  throw new PetstoreApiError(`Refused: ${code}.`, code, status)
}

export function pet(id: number, fields: Partial<Pet> = {}): Pet {
  return { id: BigInt(id), name: `Pet ${id}`, categoryId: 7n, status: 'available', ...fields } as Pet
}

export function order(id: number, fields: Partial<Order> = {}): Order {
  const at = new Date().toISOString()
  const times = { placedAt: at, changedAt: at }
  return { id: BigInt(id), petId: 1n, petName: 'Rex', status: 'pending', ...times, ...fields } as Order
}

export function event(id: number, type: string, fields: Partial<Event> = {}): Event {
  return { id: BigInt(id), type, at: new Date().toISOString(), petId: 1n, ...fields } as Event
}
