// Every field of a pet and an order, through everything that stores or transfers it: both stores, responses, copies,
// exports and imports.
// The fields come from the contract, so a new field is covered automatically.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { copy } from '../../../../test/support/copied-stores.ts'
import { type Values, valuesOf } from '../../../../test/support/fields.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody, petsOf } from '../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { run } from '../../../../test/support/process.ts'
import { type Answer, type Service, startService } from '../../../../test/support/service.ts'
import { stringifyJson } from '../../../contract/src/json.ts'

const cluster = await sharedCluster()
const STORES: Record<string, () => string | Promise<string>> = {
  SQLite: () => temporaryFile('petstore.db'),
  PostgreSQL: () => cluster.newStore(),
}

const PET = valuesOf('NewPet')
const ORDER = { ...valuesOf('NewOrder'), petId: 2n }

test.each(Object.keys(STORES))(
  'on %s, responses, reads, replays, corrections, exports, imports and copies keep every field',
  async (kind) => {
    const address = await newStore(kind)
    const service = await serving(address)
    const pet = await rowOf(created(service))
    await service.post(petBody())
    const order = await rowOf(placed(service))
    expect(pet).toEqual({ ...PET, id: 1n })
    expect(order).toMatchObject(ORDER)
    await expectKept(service, pet, order)

    // A correction changes only the fields that it names.
    for (const name of ['another', pet.name]) {
      const corrected = service.request('PATCH', '/pets/1', { body: stringifyJson({ name }) })
      expect(await rowOf(corrected)).toEqual({ ...pet, name } as Values)
      expect(await rowOf(service.get('/pets/1'))).toEqual({ ...pet, name } as Values)
    }

    // Exports and imports do not depend on the store.
    for (const format of kind === 'SQLite' ? ['ndjson', 'json', 'csv'] : []) {
      const [pets, orders] = [temporaryFile(`pets.${format}`), temporaryFile(`orders.${format}`)]
      await command(service, 'pets', 'export', pets)
      await command(service, 'orders', 'export', orders)
      const exported = readFileSync(orders, 'utf8')
      for (const part of Object.entries(order).flat()) expect(exported).toContain(String(part))
      const other = await serving(await newStore(kind))
      await command(other, 'pets', 'import', pets)
      const imported = await rowsOf(other.get(`/pets?status=${PET.status}`))
      expect(imported.map(({ id, ...fields }) => fields)).toEqual([PET])
    }

    await service.server.stop(1_000)
    await service.store.close()
    for (const target of await Promise.all(Object.keys(STORES).map(newStore))) {
      expect(await copy(address, target)).toMatchObject({ status: 0, stderr: '' })
      await expectKept(await serving(target), pet, order, service.key)
    }
  },
)

/** Expects pet 1 and the order of pet 2 in every read and replay. */
async function expectKept(service: Service, pet: Values, order: Values, key = service.key): Promise<void> {
  const { get } = service
  const pets = [get('/pets/1'), get('/pets?limit=1'), get(`/pets?status=${PET.status}`), created(service, key)]
  for (const reading of pets) expect(await rowsOf(reading)).toEqual([pet])
  const orders = [get('/store/orders/1'), get('/store/orders'), get('/store/orders?petId=2'), placed(service, key)]
  for (const reading of orders) expect(await rowsOf(reading)).toEqual([order])
}

const created = (service: Service, key = service.key) => service.post(stringifyJson(PET), headersOf(key, 'pet'))
const headersOf = (key: string, idempotencyKey: string) => {
  return { Authorization: `Bearer ${key}`, 'Idempotency-Key': idempotencyKey }
}
const placed = (service: Service, key = service.key) =>
  service.request('POST', '/store/orders', { body: stringifyJson(ORDER), headers: headersOf(key, 'order') })

async function newStore(kind: string): Promise<string> {
  return (await STORES[kind]?.()) as string
}

/** The database's clock decides on PostgreSQL, so the server uses the real time, too. */
async function serving(address: string): Promise<Service> {
  return startService({ address, now: Date.now, enforceSunset: false })
}

async function command({ url, key }: Service, ...args: string[]): Promise<void> {
  const env = { PETSTORE_URL: url, PETSTORE_API_KEY: key }
  expect(await run(args, { env })).toMatchObject({ status: 0, stdout: '' })
}

/** The objects of a response, with exact numbers. */
async function rowsOf(answering: Promise<Answer>): Promise<Values[]> {
  const { status, text } = await answering
  expect(status, text).toBeLessThan(300)
  const json = text.startsWith('[') ? text : `[${text}]`
  return petsOf({ json, next: undefined, prev: undefined }) as unknown as Values[]
}

async function rowOf(answering: Promise<Answer>): Promise<Values> {
  return (await rowsOf(answering))[0] as Values
}
