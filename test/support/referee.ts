// The referee: plays situations with a client, and judges it by the report of a petstore in practice.

import type { JudgedLesson, PracticePetstore } from '../../packages/testing/testing.ts'

/** What a program does with a client. packages/client/test/generators/clients/ implements it for each client. */
export interface Driver {
  /** Every pet, if the client can follow pages. */
  pets(filter?: { limit?: number; status?: 'available'; search?: string }): Promise<{ categoryId: number | bigint }[]>
  add(pet: { name: string; categoryId: number | bigint }): Promise<unknown>
  inventory(): Promise<unknown>
  order(petId: number): Promise<{ id: number | bigint }>
  /** Reads the order, then completes it. */
  sell(orderId: number | bigint): Promise<unknown>
  /** Reads this many events, if the client can follow the feed. */
  events(count: number): Promise<unknown>
}

interface Situation {
  prepare?(store: PracticePetstore): Promise<void>
  /** Run one after another. The program continues if one fails. */
  steps: ((client: Driver) => Promise<unknown>)[]
  apiKey?: string
  /** Takes up to half a minute. */
  isSlow?: boolean
}

const REX = { name: 'Rex', categoryId: 7 }
/** More than 53 bits. */
const LARGE = '9007199254740993'
const pets = (client: Driver) => client.pets()
const add = (client: Driver) => client.add(REX)
const inventory = (client: Driver) => client.inventory()
const threeEvents = (client: Driver) => client.events(3)
const ADD = 'createPet'
const failing = (fault: Parameters<PracticePetstore['fail']>[0]) => (store: PracticePetstore) => store.fail(fault)

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a list of three pages': { steps: [(client) => client.pets({ limit: 30, status: 'available' })] },
  'two pets': { steps: [add, (client) => client.add({ name: 'Max', categoryId: 7 })] },
  'overloaded while a pet is added': { prepare: failing({ operation: ADD, status: 503, retryAfter: 1 }), steps: [add] },
  'failing three times': { prepare: failing({ operation: 'listPets', status: 500, times: 3 }), steps: [pets] },
  'a pet is added, and the answer lost': { prepare: failing({ operation: 'createPet', cut: 'after' }), steps: [add] },
  'a list is lost': { prepare: failing({ operation: 'listPets', cut: 'before' }), steps: [pets] },
  'half a list': { prepare: failing({ operation: 'listPets', truncate: 20 }), steps: [pets] },
  'too many requests': {
    prepare: failing({ operation: 'listPets', code: 'rate_limited', retryAfter: 1 }),
    steps: [pets, inventory],
  },
  'a pet without a name': { steps: [(client) => client.add({ ...REX, name: '' })] },
  'a wrong key': { steps: [pets], apiKey: 'wrong' },
  'a large category': {
    prepare: addLarge,
    steps: [
      async (client) => {
        for (const { categoryId } of await client.pets({ search: 'Large' }))
          await client.add({ name: 'Max', categoryId })
      },
    ],
  },
  'a field of tomorrow': { prepare: failing({ operation: 'listPets', unknown: true }), steps: [pets, inventory] },
  'a code of tomorrow': { prepare: failing({ operation: 'listPets', status: 503, unknown: true }), steps: [pets] },
  'an event of tomorrow': { prepare: failing({ operation: 'listEvents', unknown: true }), steps: [threeEvents] },
  'the same again': { steps: [inventory, inventory, pets, pets] },
  'a sale': { steps: [async (client) => client.sell((await client.order(1)).id)] },
  'too many requests for a while': {
    prepare: failing({ operation: 'listPets', code: 'rate_limited', retryAfter: 10 }),
    steps: [pets, inventory],
    isSlow: true,
  },
  'no answer': { prepare: failing({ operation: 'listPets', latencyMs: 32_000 }), steps: [pets], isSlow: true },
}

/** Sends the request so that it misses no lesson itself. */
async function addLarge({ url, apiKey }: PracticePetstore): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': 'large', Connection: 'close' }
  await fetch(`${url}/pets`, { method: 'POST', headers, body: `{"name":"Large","categoryId":${LARGE}}` })
}

/** The pause between steps. Without it, a request could be in flight before the client knows the previous answer. */
const PAUSE_MS = 100

/** Runs the program in one situation. */
export async function play(name: string, client: Driver): Promise<void> {
  for (const step of SITUATIONS[name]?.steps ?? []) {
    try {
      await step(client)
    } catch {
      // The program continues without the result.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

export type Judged = Readonly<Record<string, JudgedLesson['outcome']>>

/** Judges each lesson over these situations. The store has the sample pets; `run` plays one situation. */
export async function judge(
  store: PracticePetstore,
  names: readonly string[],
  run: (name: string, apiKey: string) => Promise<void>,
): Promise<Judged> {
  let judged: Judged = {}
  for (const name of names) {
    const { prepare, apiKey = store.apiKey } = SITUATIONS[name] as Situation
    await store.reset()
    await prepare?.(store)
    await run(name, apiKey)
    const { lessons } = await store.report()
    judged = together(judged, Object.fromEntries(lessons.map(({ id, outcome }) => [id, outcome])))
  }
  return judged
}

/** Combines two judgements: a lesson that was missed once is missed. */
export function together(one: Judged, other: Judged): Judged {
  const outcomeOf = (id: string) => {
    const outcomes = [one[id], other[id]]
    return (['missed', 'kept'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'unknown'
  }
  return Object.fromEntries(Object.keys({ ...one, ...other }).map((id) => [id, outcomeOf(id)]))
}
