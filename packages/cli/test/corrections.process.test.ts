// `petstore pets update`, `pets delete` and `orders update`.

import { beforeAll, expect, test } from 'bun:test'
import { ended } from '../../../test/support/ended.ts'
import { newPet } from '../../../test/support/pets.ts'
import { run } from '../../../test/support/process.ts'
import { outcomeOf } from '../../../test/support/rejection.ts'
import { openShop } from '../../../test/support/shop.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { petHeld } from '../../service/src/domain/decisions/refusal-messages.ts'

const shop = await openShop()
const petstore = (...args: string[]) => run(args, { cwd: shop.cwd, env: shop.env })
const { client } = shop
const addPet = async (fields: Parameters<typeof newPet>[0] = {}) => (await client.createPet(newPet(fields))).id
beforeAll(() => {
  shop.service.clock.at = Date.now()
})

test('petstore pets update changes the given fields, and prints the pet as `pets show` does', async () => {
  const id = await addPet({ name: 'Luma', status: 'sold' })
  const args = ['--name', 'Luna', '--category', '9223372036854775807', '--status', 'available', '--json']
  const all = `{"id":${id},"name":"Luna","categoryId":9223372036854775807,"status":"available"}\n`
  expect(await petstore('pets', 'update', String(id), ...args)).toEqual({ status: 0, stdout: all, stderr: '' })
  const { stdout } = await petstore('pets', 'update', String(id), '--category', '-5')
  expect(stdout).toContain('-5')
  expect(await petstore('pets', 'show', String(id))).toMatchObject({ status: 0, stdout })
})

test('petstore pets update rejects a change that is empty or impossible', async () => {
  const id = await addPet()
  const order = await client.placeOrder({ petId: id })
  for (const [args, status, message] of [
    [[String(id)], 1, 'Nothing to change. Use --name, --category or --status.'],
    [[String(id), '--status', 'sold'], 2, 'Allowed choices are available.'],
    [[String(id), '--status', 'available'], 1, petHeld({ id, status: 'pending' }, order.id).message],
  ] as const) {
    const ended = await petstore('pets', 'update', ...args)
    expect([ended.status, ended.stdout]).toEqual([status, ''])
    expect(ended.stderr).toContain(message)
  }
})

test('pets update warns that the change may have been made if it gets no response', async () => {
  const env = { ...shop.env, PETSTORE_URL: 'http://127.0.0.1:1/v1' }
  const ended = await run(['pets', 'update', '1', '--name', 'x'], { env })
  expect([ended.status, ended.stdout]).toEqual([3, ''])
  expect(ended.stderr).toMatch(/^petstore: The change may have been made: .*cannot be reached.*\n$/)
})

test('petstore pets delete asks at a terminal, and deletes only after y', async () => {
  const id = await addPet()
  for (const answer of ['', 'y']) {
    const [ended, isThere] = answer === 'y' ? [`Deleted pet ${id}.`, false] : ['Nothing was deleted.', true]
    const terminal = openTerminal(['pets', 'delete', String(id)], shop.env)
    await terminal.waitFor(`Delete pet ${id}? [y/N] `)
    terminal.type(`${answer}\r`)
    await terminal.waitFor(ended)
    expect([answer, await terminal.exited]).toEqual([answer, isThere ? 1 : 0])
    expect([answer, (await outcomeOf(client.getPet(id))) === 'answered']).toEqual([answer, isThere])
  }
})

test('petstore pets delete needs --yes without a terminal', async () => {
  const id = String(await addPet())
  expect(await petstore('pets', 'delete', id)).toEqual(ended(1, `petstore pets delete ${id} --yes`))
  const deleted = { status: 0, stdout: '', stderr: `Deleted pet ${id}.\n` }
  expect(await petstore('pets', 'delete', id, '--yes')).toEqual(deleted)
})

test('orders update extends a reservation, changes its reference, and removes either', async () => {
  const order = await client.placeOrder({ petId: await addPet(), reference: 'Ada' })
  const id = String(order.id)
  const { stdout } = await petstore('orders', 'update', id, '--expires', '2h', '--reference', 'Bob', '--json')
  const { expiresAt, reference } = JSON.parse(stdout)
  expect(reference).toBe('Bob')
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  const none = await petstore('orders', 'update', id, '--expires', 'none', '--reference', 'none', '--json')
  const kept = { id: Number(id), petName: 'Rex', petId: Number(order.petId), placedAt: order.placedAt }
  expect(JSON.parse(none.stdout)).toEqual({ ...kept, status: 'pending', changedAt: expect.any(String) })
  expect((await petstore('orders', 'update', id)).stderr).toContain('Use --reference or --expires')
  expect((await petstore('orders', 'update', id, '--expires', 'soon')).status).toBe(2)
})
