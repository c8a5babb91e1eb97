// Tables at real terminals, narrow and wide: only what people have written is cut, and the columns of a list stay where they are.

import { afterAll, describe, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet, petBody } from '../../../../test/support/pets.ts'
import { run } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { openTerminal, plain } from '../../../../test/support/terminal.ts'

const service = await startService()
afterAll(() => service.stop())
const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.key }

const LARGE = '-9223372036854775808'
const REFERENCE = `Anna,\u001b[2J of the ${'long '.repeat(30)}street`
for (const name of ['Rex', '\u{1F436}名'.repeat(60), `\u202e${'x'.repeat(200)}`]) {
  await service.post(petBody({ name, categoryId: BigInt(LARGE) }))
  const pet = (await service.get('/pets?limit=100')).text.match(/"id":\d+/g)?.length
  const order = JSON.stringify({ petId: pet, reference: REFERENCE, expiresAt: '2026-11-24T18:00:00Z' })
  await service.request('POST', '/store/orders', { body: order })
}

async function shown(args: string[], columns: number): Promise<string[]> {
  const terminal = openTerminal(args, { ...env, NO_COLOR: '1' }, columns)
  expect(await terminal.exited).toBe(0)
  await Bun.sleep(20)
  return plain(terminal.shown()).trimEnd().split('\n')
}

describe.each([40, 80, 200])('at a terminal of %i columns', (columns) => {
  test.each<[string[], string[]]>([
    [
      ['pets', 'list'],
      [LARGE, 'pending', 'Rex'],
    ],
    [
      ['orders', 'list'],
      ['2026-11-21 00:00Z', '2026-11-24 18:00Z', 'pending', 'Rex', 'Anna'],
    ],
    [
      ['orders', 'show', '2'],
      ['2026-11-21T00:00:00.000Z', '2026-11-24T18:00:00.000Z', 'pending', 'street'],
    ],
    [['inventory'], ['available', 'pending', 'sold']],
  ])('%j fits, and shows whole what nobody has written', async (args, whole) => {
    const lines = await shown(args, columns)
    expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([])
    for (const cell of whole) expect(lines.join('\n')).toContain(cell)
  })

  test('one order is shown in full', async () => {
    const text = (await shown(['orders', 'show', '3'], columns)).join('').replaceAll(/[\s\ufffd]/g, '')
    expect(text).toContain('x'.repeat(200))
    expect(text).toContain(`Anna,[2Jofthe${'long'.repeat(30)}street`)
  })
})

test('where the columns do not fit, each row has lines of its own, with an empty one between', async () => {
  const lines = await shown(['orders', 'list', '--limit', '2'], 40)
  expect(lines.slice(0, 6)).toEqual([
    'ID         1',
    'PET        1',
    'NAME       Rex',
    'STATUS     pending',
    'SINCE      2026-11-21 00:00Z',
    'UNTIL      2026-11-24 18:00Z',
  ])
  expect(lines[lines.indexOf('') + 1]).toBe('ID         2')
})

test('the columns are the same on all pages; numbers have commas at a terminal, and none in a pipe', async () => {
  const shop = await startService()
  const names = Array.from({ length: 1_101 }, (_, n) => (n === 350 ? 'A name that is long' : 'Rex'))
  for (const name of names) await shop.store.createPet(newPet({ name }), 1n)
  const connection = { PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.key }
  const terminal = openTerminal(['pets', 'list', '--all'], connection)
  await terminal.exited
  const piped = await run(['pets', 'list', '--all'], { env: connection })
  for (const text of [plain(terminal.shown()), piped.stdout]) {
    const [head = '', ...rows] = text.trimEnd().split('\n')
    expect(rows.length).toBe(names.length)
    const at = head.indexOf('STATUS')
    expect(rows.filter((row) => row.indexOf('available') !== at)).toEqual([])
  }
  expect((await run(['inventory'], { env: connection })).stdout).toMatch(/^available +1101$/m)
  const counted = openTerminal(['inventory'], connection)
  await counted.exited
  expect(plain(counted.shown())).toMatch(/^available +1,101$/m)
  const file = temporaryFile('pets.csv')
  expect((await run(['pets', 'export', file], { env: connection })).stderr).toStartWith('Exported 1101 pets')
  const exported = openTerminal(['pets', 'export', file], connection)
  await exported.exited
  await exported.waitFor('Exported 1,101 pets')
  await shop.stop()
})

test('a status has its colour at a terminal, and nowhere else', async () => {
  const [green, yellow] = ['\u001b[32mavailable', '\u001b[33mpending']
  const at = async (args: string[], variables: Record<string, string>) => {
    const terminal = openTerminal(args, { ...env, ...variables }, 80)
    await terminal.waitFor('pending')
    expect(await terminal.exited).toBe(0)
    return terminal.shown()
  }
  const listed = await at(['inventory'], { NO_COLOR: '', FORCE_COLOR: '' })
  expect([listed.includes(green), listed.includes(yellow)]).toEqual([true, true])
  for (const args of [
    ['pets', 'list'],
    ['orders', 'list'],
    ['orders', 'show', '1'],
    ['events', '--order', '1'],
  ]) {
    expect(await at(args, {})).toContain(yellow)
  }
  expect(await at(['inventory'], { NO_COLOR: '1' })).not.toContain('\u001b[3')
  expect((await run(['inventory'], { env })).stdout).not.toContain('\u001b')
})
