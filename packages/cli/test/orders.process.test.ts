// `petstore orders`, `petstore sell` and `petstore inventory`.

import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../test/support/ended.ts'
import { passOn, startFake } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { type Order, PetstoreClient } from '../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { petNotAvailable } from '../../service/src/domain/decisions/refusal-messages.ts'

// A real clock, because the command adds `30m` to the current time.
const service = await startService({ now: Date.now })
const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
const cwd = mkdtempSync(temporaryFile('cwd-'))

const petstore = (args: string[]) => run(args, { cwd, env: service.env })
const orders = (...args: string[]) => petstore(['orders', ...args])
const addPet = async (name = 'Rex') => (await client.createPet(newPet({ name }))).id
const minute = (time: string) => `${time.slice(0, 16).replace('T', ' ')}Z`

test('reports an empty list', async () => {
  const empty = await startService()
  const orders = (...args: string[]) => run(['orders', ...args], { env: empty.env })
  expect(await orders('list')).toEqual({ status: 0, stdout: '', stderr: 'There are no orders yet.\n' })
  for (const status of ['pending', 'reserved']) {
    expect((await orders('list', '--status', status)).stderr).toBe('No order is pending.\n')
  }
  expect((await orders('list', '--pet', '7', '--status', 'gone')).stderr).toContain('Allowed choices are pending, ')
  // `sold` is the status of a pet; the status of its order is `completed`.
  expect((await orders('list', '--status', 'sold')).stderr).toBe('No order is completed.\n')
  expect((await orders('list', '--pet', '7')).stderr).toBe('Pet 7 has no orders.\n')
  expect((await orders('list', '--pet', '7', '--pet', '8')).stderr).toBe('These pets have no orders.\n')
  expect((await orders('list', '--pet', '7', '--pet', '7')).stderr).toContain(
    'petIds must not have the same value twice',
  )
  expect((await orders('list', '--json')).stdout).toBe('[]\n')
})

test('places and completes an order, and counts the pets, as tables', async () => {
  const petId = await addPet('Ada')
  const placed = await orders('place', String(petId), '--expires', '30m', '--reference', 'till 3')
  const [order] = (await client.listOrderPage({ petId })).orders
  const { id, placedAt = '', expiresAt = '' } = order ?? {}
  expect(Date.parse(expiresAt) - Date.parse(placedAt)).toBeLessThanOrEqual(30 * 60_000)
  const columns = '^ID +PET +NAME +STATUS +SINCE +UNTIL +REFERENCE'
  const row = `${id} +${petId} +Ada +pending +${minute(placedAt)} +${minute(expiresAt)} +till 3`
  const stdout = expect.stringMatching(new RegExp(`${columns}\n${row}\n$`))
  expect(placed).toEqual({ status: 0, stderr: '', stdout })
  expect((await petstore(['inventory'])).stdout).toMatch(/^STATUS +PETS\navailable +\d+\npending +\d+\nsold +\d+\n$/)
  const taken = await orders('place', String(petId))
  const holder = { id: BigInt(String(id)), expiresAt: Date.parse(expiresAt) }
  const { message } = petNotAvailable({ id: petId, status: 'pending' }, holder)
  expect(taken).toEqual({ status: 1, stdout: '', stderr: `petstore: ${message} (from ${service.url})\n` })
  const completed = await orders('complete', String(id))
  expect(completed.stderr).toBe(`Sold pet ${petId} (Ada).\n`)
  expect(completed.stdout).toContain(' completed ')
  // A completed order shows no expiry.
  expect(completed.stdout).not.toContain(minute(expiresAt))
  expect((await petstore(['inventory', '--json'])).stdout).toBe(`${(await service.get('/store/inventory')).text}\n`)
  const shown = await orders('show', String(id))
  expect(shown.stdout).toMatch(
    /^ORDER {6}\d+\nPET {8}\d+\nNAME {7}Ada\nSTATUS {5}completed\nPLACED {5}\S+\nCHANGED {4}\S+\nEXPIRES {4}\S+\nREFERENCE {2}till 3\n$/,
  )
  expect((await orders('return', String(id))).stdout).toContain(' returned ')
})

const newestOrder = async (petId: bigint) => (await client.listOrderPage({ petId, sort: 'newest' })).orders[0]

/** Sells a pet while a proxy responds to requests for `path` with `status`, after passing them on if `passesOn`. */
async function sellBehind(petId: bigint, status: number, passesOn = false, path = /\/complete$/) {
  let asked = 0
  const { url } = startFake(async (request) => {
    if (request.method === 'GET' || !path.test(request.url)) return passOn(request, service)
    asked++
    if (passesOn) await passOn(request, service)
    return Response.json({ code: 'unknown_to_us', message: 'No.', status }, { status })
  })
  const ended = await run(['sell', String(petId)], { cwd, env: { ...service.env, PETSTORE_URL: url } })
  return { ...ended, asked }
}

test('sells a pet once, and prints its name', async () => {
  const petId = await addPet('Bruno')
  const sold = await petstore(['sell', String(petId), '--reference', 'receipt 4711'])
  const order = await newestOrder(petId)
  expect(order).toMatchObject({ status: 'completed', reference: 'receipt 4711' })
  expect(sold).toMatchObject({ status: 0, stderr: `Sold pet ${petId} (Bruno).\n` })
  expect(sold.stdout).toMatch(/\n\d+ +\d+ +Bruno +completed .* receipt 4711\n$/)
  const again = await petstore(['sell', String(petId)])
  expect(again).toEqual({ status: 1, stdout: '', stderr: `petstore: Pet ${petId} is sold (order ${order?.id}).\n` })
  const json = await petstore(['sell', String(await addPet()), '--json'])
  expect([json.stderr, JSON.parse(json.stdout)]).toEqual(['', expect.objectContaining({ status: 'completed' })])
})

test.each([
  ['without an end', {}],
  ['with an end', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }],
])('petstore sell rejects a pet that is reserved %s, and shows the order and its customer', async (_, end) => {
  const petId = await addPet()
  const { id, expiresAt } = await client.placeOrder({ petId, reference: 'Anna', ...end })
  const refused = await petstore(['sell', String(petId)])
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  const until = expiresAt ? ` until ${expiresAt}` : ''
  expect(refused.stderr).toBe(
    `petstore: Pet ${petId} is reserved for "Anna"${until} by order ${id}. To sell it to that customer, run petstore orders complete ${id}.\n`,
  )
})

test('petstore sell cancels its order if the service rejects its completion', async () => {
  const petId = await addPet()
  expect(await sellBehind(petId, 409)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^petstore: No\./) })
  expect(await newestOrder(petId)).toMatchObject({ status: 'cancelled' })
})

test.each([
  [500, true],
  [500, false],
  [408, true],
])(
  'petstore sell prints how to find out whether the pet was sold, after %d: completed %j',
  async (answer, completed) => {
    const petId = await addPet()
    const { status, stderr, asked } = await sellBehind(petId, answer, completed)
    const { id, expiresAt = '', placedAt = '', ...order } = (await newestOrder(petId)) as Order
    expect([status, asked, order.status]).toEqual([1, 3, completed ? 'completed' : 'pending'])
    expect(stderr).toStartWith(
      `Pet ${petId} may have been sold with order ${id}. To make sure, run petstore orders complete ${id} before ${expiresAt}.\npetstore: No.`,
    )
    expect(Math.round((Date.parse(expiresAt) - Date.parse(placedAt)) / 60_000)).toBe(10)
    expect(await orders('complete', String(id))).toMatchObject({ status: 0, stderr: `Sold pet ${petId} (Rex).\n` })
  },
)

test.each([403, 429])(
  'petstore sell shows the order and the next command if it can neither complete nor cancel: %d',
  async (status) => {
    const petId = await addPet()
    const { stderr } = await sellBehind(petId, status, false, /\/orders\/\d+/)
    const { id, expiresAt } = (await newestOrder(petId)) as Order
    expect(stderr).toStartWith(
      `Order ${id} may hold pet ${petId} until ${expiresAt}. To release it, run petstore orders cancel ${id}.\npetstore: No.`,
    )
  },
)

test('petstore sell prints how to find the order if the response to placing it is lost', async () => {
  const petId = await addPet()
  const { stderr } = await sellBehind(petId, 502, true, /\/orders$/)
  const { expiresAt, status } = (await newestOrder(petId)) as Order
  expect(status).toBe('pending')
  expect(stderr).toStartWith(
    `Pet ${petId} may be reserved until ${expiresAt}. To see its order, run petstore orders list --pet ${petId} --newest.\npetstore: No.`,
  )
})

test.each([-3, 3])('reservations end by the clock of the service, which is %d days off', async (days) => {
  const now = () => Date.now() + days * 86_400_000
  const shop = await startService({ now })
  const { url } = startFake(async (request) => {
    const response = await passOn(request, shop)
    const headers = new Headers(response.headers)
    headers.set('Date', new Date(now()).toUTCString())
    return new Response(response.body, { status: response.status, headers })
  })
  for (const name of ['Ada', 'Bo']) await shop.store.createPet(newPet({ name }), 1n)
  const minutesOf = async (...args: string[]) => {
    const { stdout } = await run([...args, '--json'], { cwd, env: { ...shop.env, PETSTORE_URL: url } })
    return Math.round((Date.parse(JSON.parse(stdout).expiresAt) - now()) / 60_000)
  }
  expect(await minutesOf('sell', '1')).toBe(10)
  expect(await minutesOf('orders', 'place', '2', '--expires', '30m')).toBe(30)
  expect(await minutesOf('orders', 'update', '2', '--expires', '1h')).toBe(60)
})

test('cancels an order, and prints JSON', async () => {
  const petId = await addPet()
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const placed = await orders('place', String(petId), '--expires', until.replace('Z', '+00:00'), '--json')
  const [order] = (await client.listOrderPage({ petId })).orders
  expect(JSON.parse(placed.stdout)).toMatchObject({ id: Number(order?.id), status: 'pending', expiresAt: until })
  const cancelled = await petstore(['orders', 'cancel', String(order?.id), '--json'])
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: 'cancelled' })
  const again = await orders('cancel', String(order?.id))
  expect([again.status, again.stdout]).toEqual([0, expect.stringContaining(' cancelled ')])
})

test('lists and exports all orders that match the filters, without truncating text', async () => {
  const wide = await client.placeOrder({ petId: await addPet('漢'.repeat(TEXT_LENGTH_MAX)) })
  expect((await orders('list', '--pet', String(wide.petId))).stdout).toContain(
    ` ${'漢'.repeat(TEXT_LENGTH_MAX)}  pending  `,
  )
  const petId = await addPet('x'.repeat(TEXT_LENGTH_MAX))
  for (let n = 0; n < 101; n++) {
    await client.cancelOrder((await client.placeOrder({ petId, reference: `"${n}",\u001b` })).id)
  }
  await client.placeOrder({ petId })
  const first = await orders('list', '--pet', String(petId), '--limit', '3')
  expect(first.stderr).toBe('These are the first 3. More: --limit NUMBER, or --all.\n')
  expect(first.stdout).toContain(` ${'x'.repeat(TEXT_LENGTH_MAX)}  cancelled  `)
  expect(first.stdout).toContain('"0",\ufffd\n')
  const listed = JSON.parse((await orders('list', '--pet', String(petId), '--all', '--json')).stdout)
  expect(listed.length).toBe(102)
  const exported = { status: 0, stdout: '', stderr: 'Exported 101 orders to orders.csv.\n' }
  expect(await orders('export', 'orders.csv', '--pet', String(petId), '--status', 'cancelled')).toEqual(exported)
  const [head, row] = readFileSync(join(cwd, 'orders.csv'), 'utf8').split('\n')
  expect(head).toBe('id,petId,petName,status,placedAt,changedAt,expiresAt,reference')
  expect(row).toMatch(new RegExp(`^\\d+,${petId},x{${TEXT_LENGTH_MAX}},cancelled,[^,]+Z,[^,]+Z,,"""0"",\u001b"$`))
  const { stdout } = await orders('export', '--format', 'ndjson', '--pet', String(petId))
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(listed)
})

test.each([
  [['place', '1', '--expires', 'tomorrow'], 2, 'It must be a duration such as 30m'],
  [['place', '1', '--expires', '2026-11-24T18:00Z'], 2, 'It must have seconds and an offset'],
  [['cancel'], 2, "Missing required argument 'order'"],
])('%j ends with %d: %s', async (args, status, message) => {
  expect(await orders(...args)).toEqual(ended(status, message, ''))
})
