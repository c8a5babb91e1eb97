// The catalogue finds each contract fault under its promise and few others, finds planted faults, and has no false
// positives on a service that other clients use.

import { expect, setDefaultTimeout, test } from 'bun:test'
import { concerns } from '../../../test/support/concerned.ts'
import { brokenOf, examine, keysOf } from '../../../test/support/examine.ts'
import { startProxy } from '../../../test/support/faulty.ts'
import { releasedNames } from '../../../test/support/released.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { CONTRACT_FAULTS } from '../../practice/src/contract-faults/all.ts'
import { behaviourOf, type ContractFault } from '../../practice/src/contract-faults/shared/faults.ts'
import { PROMISES } from '../src/promises/all.ts'
import type { PromiseRow } from '../src/promises/shared/promise.ts'
import { INTERFACE_CASES, PLANTED } from './planted.ts'

/** How many services and proxies run at the same time. */
const TOGETHER = 8
/** One cause breaks at most this many promises. */
const IDS_MAX = 7
/** Exceptions. With this fault, pets have different ids in lists, paths and orders. */
const MANY: Readonly<Record<string, number>> = { 'pets.create.id.rising': 8 }
/** How often a busy service is examined. */
const RUNS = 2
/**
 * `npm run endurance -- contract-faults` and `-- planted` try every fault. The suite tries every tenth, and the faults
 * of promises that no release has.
 */
const ALL = ['all', 'planted'].includes(process.env.FAULTS ?? '')
const ONE_OF = ALL ? 1 : 10
if (ALL) setDefaultTimeout(3_600_000)

const ids = Object.keys(CONTRACT_FAULTS)
const promise = (id: string) => PROMISES.find((row) => row.id === id) as PromiseRow

/** Runs `work` for each fault, and resolves with its results that are not `undefined`. */
async function eachLie(ids: readonly string[], work: (id: string) => Promise<unknown>) {
  const wrong: Record<string, unknown> = {}
  const waiting = ids.values()
  const worker = async () => {
    for (const id of waiting) {
      const said = await work(id)
      if (said !== undefined) wrong[id] = said
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, worker))
  return wrong
}

/** Adds pets of each status, with categories of more than 53 bits. */
async function stock(service: Service): Promise<void> {
  for (let n = 0n; n < 24n; n++) {
    const status = ['available', 'pending', 'sold'][Number(n % 3n)]
    const pet = `{"name":"Rex ${n}","categoryId":${2n ** 60n + 2n * n + 1n},"status":"${status}"}`
    const { status: code } = await service.post(pet)
    expect(code).toBe(201)
  }
}

/** Resolves with the broken promises of a new service with this fault. */
async function foundAlone(name: string, fault: ContractFault): Promise<string[]> {
  const concerned = await concernedPromises(name, fault)
  const chosen = name in INTERFACE_CASES ? concerned.filter(({ level }) => level === 'interface') : concerned
  const service = await startService({ now: Date.now })
  const faulty = await startProxy(service.url, behaviourOf(fault))
  const lines = brokenOf(await examine(faulty.url, { keys: await keysOf(service), write: true, chosen }))
  await Promise.all([faulty.stop(), service.stop()])
  return lines
}

/** Resolves with the promises that the fault can affect, including the promise with its name. */
async function concernedPromises(name: string, fault: ContractFault): Promise<PromiseRow[]> {
  concernedBy ??= concernsOfHonest()
  return [...new Set([...(await (await concernedBy)(fault)), ...PROMISES.filter(({ id }) => id === name)])]
}

let concernedBy: ReturnType<typeof concerns> | undefined
async function concernsOfHonest() {
  const honest = await startService({ now: Date.now })
  const of = await concerns(honest.url, await keysOf(honest))
  await honest.stop()
  return of
}

test('finds a planted fault, under few promises', async () => {
  const some = Object.keys(PLANTED).filter((_, index) => index % ONE_OF === 0)
  const wrong = await eachLie(some, async (name) => {
    const lines = await foundAlone(name, PLANTED[name] as ContractFault)
    return lines.length > 0 && lines.length <= IDS_MAX ? undefined : lines
  })
  expect(wrong).toEqual({})
})

test('every promise has a contract fault', () => {
  expect(ids.toSorted()).toEqual(PROMISES.map(({ id }) => id).sort())
})

test.each([0, 1, 2])('a contract fault is found under its promise, and under few others (part %p)', async (part) => {
  const known = releasedNames().promises
  const all = ids.filter((id, index) => index % ONE_OF === 0 || !known.includes(id))
  expect(all.length).toBeGreaterThan(40)
  const some = all.filter((_, index) => index % 3 === part)
  const wrong = await eachLie(some, async (id) => {
    const lines = await foundAlone(id, CONTRACT_FAULTS[id] as ContractFault)
    const isFound = lines.some((line) => line.startsWith(`${id}: `))
    return isFound && lines.length <= (MANY[id] ?? IDS_MAX) ? undefined : lines
  })
  expect(wrong).toEqual({})
})

async function busyService(): Promise<Service> {
  const service = await startService({ now: Date.now })
  await stock(service)
  return service
}

test('no promise is broken if a resource changes and changes back between two reads', async () => {
  const service = await busyService()
  let moments = 0
  const proxy = await startProxy(service.url, async (request, pass) => {
    const response = await pass(request)
    const isMoment = request.method === 'HEAD' && request.target.endsWith('/store/inventory') && ++moments === 1
    return isMoment ? { ...response, headers: response.headers.filter(([name]) => !/etag/i.test(name)) } : response
  })
  const chosen = [promise('inventory.get.head')]
  expect(brokenOf(await examine(proxy.url, { keys: await keysOf(service), chosen }))).toEqual([])
})

test('no promise is broken while other clients add and order pets, with and without --write', async () => {
  const service = await busyService()
  const keys = await keysOf(service)
  const others = workOn(service)
  const broken: string[] = []
  for (let n = 0; n < RUNS; n++) broken.push(...brokenOf(await examine(service.url, { keys, write: n % 2 === 0 })))
  const done = await others.stop()
  expect(broken).toEqual([])
  expect(done).toBeGreaterThan(100)
})

/** Starts clients that add, order and return pets. `stop` resolves with the number of pets they added. */
function workOn(service: Service) {
  let working = true
  let done = 0
  async function clerk(n: number): Promise<void> {
    while (working) {
      const status = ['available', 'pending', 'sold', undefined][done % 4]
      const pet = await service.post(JSON.stringify({ name: `Busy ${n}`, categoryId: n, status }))
      const { id: petId } = JSON.parse(pet.text)
      const order = await service.request('POST', '/store/orders', { body: JSON.stringify({ petId }) })
      if (order.status === 201) {
        const path = `/store/orders/${JSON.parse(order.text).id}`
        if (n % 2) await service.request('DELETE', path)
        else for (const move of ['complete', 'return']) await service.request('POST', `${path}/${move}`)
      }
      done++
    }
  }
  const clerks = [1, 2, 3].map(clerk)
  return {
    async stop(): Promise<number> {
      working = false
      await Promise.all(clerks)
      return done
    },
  }
}
