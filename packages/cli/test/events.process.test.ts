// `petstore events` and its export.

import { expect, onTestFinished, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { launcher, run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'

test('events lists and follows events, as text and as JSON', async () => {
  const service = await startService({ now: Date.now })
  const { env } = service
  const events = async (...flags: string[]) => (await run(['events', ...flags], { env })).stdout
  for (const name of ['Rex', 'L\\u001buna']) await service.post(`{"name":"${name}","categoryId":7}`)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const order = `{"petId":1,"reference":"A\\u001bda","expiresAt":"${expiresAt}"}`
  await service.request('POST', '/store/orders', { body: order })
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  '
  const lines = [
    'pet\\.added        pet 1 available \\(Rex\\), by test\n',
    'pet\\.added        pet 2 available \\(L�una\\), by test\n',
    `order\\.placed     pet 1 pending \\(Rex\\), order 1, for A�da, until ${expiresAt.slice(0, 19).replace('T', ' ')}Z, by test\n`,
  ].map((line) => time + line)
  expect(await events()).toMatch(new RegExp(`^${lines.join('')}$`))
  expect(await events('--pet', '2')).toMatch(new RegExp(`^${lines[1]}$`))
  expect(await events('--order', '1')).toMatch(new RegExp(`^${lines[2]}$`))
  const none = { status: 0, stdout: '', stderr: 'There are no such events.\n' }
  expect(await run(['events', '--from', 'now'], { env })).toEqual(none)
  const { text } = await service.get('/store/events')
  expect(`[${(await events('--json')).trimEnd().replaceAll('\n', ',')}]`).toBe(text)
  for (const from of ['tomorrow', '2026-02-29', '2026-13-45', '2026-11-26T09:00']) {
    expect(await run(['events', '--from', from], { env })).toMatchObject({ status: 2, stdout: '' })
  }
  const ids = async (...flags: string[]) =>
    (await events('--json', ...flags)).split('\n').flatMap((line) => (line ? Number(JSON.parse(line).id) : []))
  const all = await ids()
  expect(await ids('--newest')).toEqual(all.toReversed())
  expect(await ids('--newest', '--limit', '2')).toEqual(all.toReversed().slice(0, 2))
  expect(await ids('--limit', '1', '--follow')).toEqual(all.slice(0, 1))
  expect(await ids('--to', '2020-01-01T00:00:00Z')).toEqual([])
  expect(await ids('--newest', '--from', '2099-01-01T00:00:00Z')).toEqual([])
  expect(await ids('--type', 'pet.added', 'order.placed')).toEqual(
    (await Promise.all([ids('--type', 'pet.added'), ids('--type', 'order.placed')])).flat().sort((a, b) => a - b),
  )
  for (const flags of [
    ['--type', 'pet.combed'],
    ['--to', 'now'],
    ['--newest', '--follow'],
    ['--limit', '0'],
  ]) {
    expect(await run(['events', ...flags], { env })).toMatchObject({ status: 2 })
  }
  expect((await run(['events', 'secret', '--pet', '2'], { env })).stderr).toContain("nknown option '--pet'")

  const args = ['events', '--follow', '--pet', '2', '--json']
  const child = Bun.spawn([launcher, ...args], { env: { ...process.env, ...env }, stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const next = async () => JSON.parse(new TextDecoder().decode((await reader.read()).value)).type
  expect(await next()).toBe('pet.added')
  await service.request('POST', '/store/orders', { body: '{"petId":2}' })
  expect(await next()).toBe('order.placed')
  child.kill()
  await child.exited
})

test('events reads days in local time, and exports a day with the same columns as the page', async () => {
  const zone = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  onTestFinished(() => {
    process.env.TZ = zone ?? ''
  })
  const service = await startService()
  const { env } = service
  const events = async (...flags: string[]) => run(['events', ...flags], { env })
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  const at = async (time: string | number, act: () => Promise<unknown>) => {
    service.clock.at = new Date(time).getTime()
    await act()
  }
  // 29 March has 23 hours in Berlin, and ends at 22:00 UTC.
  await at('2026-03-28T22:59:59Z', () => client.createPet({ name: '=Rex', categoryId: 7n }))
  await at('2026-03-28T23:00:00Z', () => client.placeOrder({ petId: 1n, reference: 'Anna, Bob' }))
  await at('2026-03-29T21:59:59Z', () => client.completeOrder(1n))
  await at('2026-03-29T22:00:00Z', () => client.returnOrder(1n))
  const { stdout } = await events('--from', '2026-03-29', '--to', '2026-03-30', '--json')
  const ofDay = stdout.trimEnd().split('\n')
  expect(ofDay.map((line) => JSON.parse(line).type)).toEqual(['order.placed', 'order.completed'])
  expect((await events('--from', 'yesterday')).stderr).toBe('There are no such events.\n')
  await at(Date.now(), () => client.createPet({ name: 'Mia', categoryId: 7n }))
  expect((await events('--from', 'today')).stdout).toContain('(Mia)')
  expect((await events('--from', 'yesterday', '--to', 'today')).stdout).toBe('')

  const file = temporaryFile('day.csv')
  const flags = ['--from', '2026-03-29', '--to', '2026-03-31', '--type', 'order.completed', 'order.returned']
  expect(await run(['events', 'export', file, '--excel', ...flags], { env })).toEqual({
    status: 0,
    stdout: '',
    stderr: `Exported 2 events to ${file}.\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe(
    [
      '\ufefftime,type,petId,petName,orderId,reference,by,net,at',
      `2026-03-29 23:59:59,order.completed,1,'=Rex,1,"Anna, Bob",test,1,2026-03-29T21:59:59.000Z`,
      `2026-03-30 00:00:00,order.returned,1,'=Rex,1,"Anna, Bob",test,-1,2026-03-29T22:00:00.000Z`,
      '',
    ].join('\n'),
  )
  expect((await events('export', '--format', 'ndjson', '--from', '2026-03-29', '--to', '2026-03-30')).stdout).toBe(
    stdout,
  )
  expect((await events('export', '--newest', '--format', 'csv', '--order', '1')).stdout).toContain(
    '2026-03-29 00:00:00,order.placed,1,=Rex,1,"Anna, Bob",test,,',
  )
})

test('an export says with both times that the clock was ahead, if that concerns its interval', async () => {
  const { env, clock, store } = await startService()
  const [AHEAD, NEXT] = ['2026-11-24T09:00:00.000Z', '2026-11-21T10:00:00.000Z']
  for (const time of ['2026-11-20T09:00:00Z', '2026-11-21T09:00:00Z', AHEAD, NEXT]) {
    clock.at = Date.parse(time)
    await store.createPet(newPet(), 1n)
  }
  const noteOf = async (...flags: string[]) => {
    const { stderr } = await run(['events', 'export', '--format', 'ndjson', ...flags], { env })
    return stderr.replace(/^Exported \d events?\.\n/, '').trimEnd()
  }
  const what = `The clock of the service was ahead: an event has the time ${AHEAD}, and a later one ${NEXT}.`
  const missing = `${what} Events after the first one are missing here. To include them, leave out --to, or set it after ${AHEAD}.`
  const day = (from: number) => ['--from', `2026-11-${from}T00:00:00Z`, '--to', `2026-11-${from + 1}T00:00:00Z`]
  expect(await noteOf(...day(20))).toBe('')
  expect(await noteOf(...day(21))).toBe(missing)
  expect(await noteOf(...day(21), '--newest')).toBe(missing)
  expect(await noteOf(...day(22))).toBe(missing)
  expect(await noteOf(...day(24))).toBe(what)
  expect(await noteOf(...day(24), '--type', 'order.completed')).toBe(what)
  expect(await noteOf()).toBe(what)
  expect(await noteOf('--newest')).toBe(what)
  // The clock has caught up.
  clock.at = Date.parse('2026-11-25T09:00:00Z')
  await store.createPet(newPet(), 1n)
  expect(await noteOf(...day(21))).toBe(missing)
  expect(await noteOf(...day(25))).toBe('')
})
