// Tables at real terminals: long texts are truncated first, and all pages have the same columns.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet, petBody } from '../../../test/support/pets.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { openTerminal, plain } from '../../../test/support/terminal.ts'

const service = await startService()
const { env } = service

const LARGE = '-9223372036854775808'
const REFERENCE = `Anna,\u001b[2J of the ${'long '.repeat(30)}street`
for (const name of ['Rex', '\u{1F436}名'.repeat(60), `\u202e${'x'.repeat(200)}`]) {
  await service.post(petBody({ name, categoryId: BigInt(LARGE) }))
  const pet = (await service.get('/pets?limit=100')).text.match(/"id":\d+/g)?.length
  const order = JSON.stringify({ petId: pet, reference: REFERENCE, expiresAt: '2026-11-24T18:00:00Z' })
  await service.request('POST', '/store/orders', { body: order })
}

async function shown(args: string[], columns: number, variables = {}): Promise<string[]> {
  const terminal = openTerminal(args, { ...env, NO_COLOR: '1', ...variables }, columns)
  expect(await terminal.exited).toBe(0)
  return plain(terminal.shown()).trimEnd().split('\n')
}

test('at 40 columns, a list fits, and one order is shown in full', async () => {
  const lines = await shown(['orders', 'list'], 40)
  expect(lines.filter((line) => Bun.stringWidth(line) > 40)).toEqual([])
  for (const cell of ['pending', 'Rex']) expect(lines.join('\n')).toContain(cell)
  const text = (await shown(['orders', 'show', '3'], 40)).join('').replaceAll(/[\s\ufffd]/g, '')
  expect(text).toContain('x'.repeat(200))
  expect(text).toContain(`Anna,[2Jofthe${'long'.repeat(30)}street`)
})

test('at 80 columns, only references and names are truncated, references first', async () => {
  expect((await shown(['orders', 'list'], 80)).slice(0, 3)).toEqual([
    'ID  PET  NAME           STATUS   SINCE              UNTIL              REFERENCE',
    '1   1    Rex            pending  2026-11-21 00:00Z  2026-11-24 18:00Z  Anna,\ufffd[2…',
    '2   2    \u{1F436}名\u{1F436}名\u{1F436}名…  pending  2026-11-21 00:00Z  2026-11-24 18:00Z  Anna,\ufffd[2…',
  ])
})

test('times are local, with their offset', async () => {
  const [TZ, offset, day, placed, expires] = ['America/St_Johns', '-03:30', '2026-11-20', '20:30', '14:30']
  const [, listed] = await shown(['orders', 'list'], 200, { TZ })
  expect(listed).toContain(`pending  ${day} ${placed}${offset}  2026-11-24 ${expires}${offset}  Anna`)
  const order = (await shown(['orders', 'show', '1'], 200, { TZ })).join('\n')
  expect(order).toMatch(new RegExp(`PLACED +${day} ${placed}:00\\${offset}\n`))
  expect(order).toContain(`2026-11-24 ${expires}:00${offset}\n`)
  const [event] = await shown(['events', '--order', '1'], 200, { TZ })
  expect(event).toStartWith(`${day} ${placed}:00${offset}  order.placed     pet 1 pending (Rex), order 1, for Anna`)
  expect((await run(['orders', 'list'], { env: { ...env, TZ } })).stdout).toContain('2026-11-21 00:00Z')
})

test('all pages have the columns of the first; numbers have commas at a terminal, but not in a pipe', async () => {
  const shop = await startService()
  const names = Array.from({ length: 1_101 }, (_, n) => (n === 350 ? 'A name that is long' : 'Rex'))
  for (const name of names) await shop.store.createPet(newPet({ name }), 1n)
  const terminal = openTerminal(['pets', 'list', '--all'], shop.env)
  await terminal.exited
  const piped = await run(['pets', 'list', '--all'], { env: shop.env })
  for (const text of [plain(terminal.shown()), piped.stdout]) {
    const rows = text.trimEnd().split('\n')
    expect(rows.length).toBe(names.length + 1)
    expect([rows[0], rows[100], rows[351], rows[1101]]).toEqual([
      'ID   NAME  CATEGORY  STATUS',
      '100  Rex   7         available',
      '351  A name that is long  7         available',
      '1101  Rex   7         available',
    ])
  }
  expect((await run(['inventory'], { env: shop.env })).stdout).toMatch(/^available +1101$/m)
  const counted = openTerminal(['inventory'], shop.env)
  await counted.exited
  expect(plain(counted.shown())).toMatch(/^available +1,101$/m)
  const file = temporaryFile('pets.csv')
  expect((await run(['pets', 'export', file], { env: shop.env })).stderr).toStartWith('Exported 1101 pets')
  const exported = openTerminal(['pets', 'export', file], shop.env)
  await exported.exited
  await exported.waitFor('Exported 1,101 pets')
})

test('a status is coloured at a terminal only', async () => {
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
    ['orders', 'list'],
    ['orders', 'show', '1'],
    ['events', '--order', '1'],
  ]) {
    expect(await at(args, {})).toContain(yellow)
  }
  expect(await at(['inventory'], { NO_COLOR: '1' })).not.toContain('\u001b[3')
  expect((await run(['inventory'], { env })).stdout).not.toContain('\u001b')
})
