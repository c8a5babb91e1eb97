// What `petstore help` shows beside the help of the commands: every setting, and the guides, at the width of a terminal.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../../../../test/support/process.ts'
import { CLIENT_SETTINGS, SETTINGS } from '../../src/config/settings.ts'

const help = async (...topic: string[]) => (await run(['help', ...topic])).stdout
const widest = (text: string) => Math.max(...text.split('\n').map((line) => Bun.stringWidth(line)))

test('help settings has every setting, as the page of the configuration has', async () => {
  const text = await help('settings')
  for (const { variable, description } of [...Object.values(SETTINGS), ...Object.values(CLIENT_SETTINGS)]) {
    expect(text).toMatch(new RegExp(`^${variable}[ ,\n]`, 'm'))
    expect(text.replaceAll(/\s+/g, ' ')).toContain(description)
  }
  expect(text).toContain('PETSTORE_BOOTSTRAP_KEY, PETSTORE_BOOTSTRAP_KEY_FILE\n')
})

test('help lists the guides, and each is there in full, without lines that are too wide', async () => {
  const [, listed = ''] = (await help()).split('shows these guides, too:\n')
  const names = listed
    .trim()
    .replaceAll(/^ *[A-Z][\w ]*: /gm, ',')
    .split(/,\s*/)
    .map((name) => name.trim())
    .filter(Boolean)
  const files = [...new Bun.Glob('*.md').scanSync(join(root, 'docs'))]
  expect(names.map((name) => name.replace(/(\.md)?$/, '.md')).sort()).toEqual(files.sort())
  for (const name of names) {
    const text = await help(name)
    const document = readFileSync(join(root, 'docs', name.replace(/(\.md)?$/, '.md')), 'utf8')
    const words = (of: string) => new Set(of.match(/(?<![\w/])\w+(?![\w/])/g))
    const pictures = /!\[.*\)/g
    expect([name, [...words(document.replaceAll(pictures, '')).difference(words(text))]]).toEqual([name, []])
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/\S{60,}/g, '')
    expect([name, widest(prose) <= 80]).toEqual([name, true])
  }
})

test('a command comes before the guide of its name, which the name of its file gives', async () => {
  expect(await help('orders')).toStartWith('Usage: petstore orders ')
  expect(await help('orders.md')).toStartWith('# ')
  expect(await help('keys', 'rotate')).toStartWith('Usage: petstore keys rotate ')
  expect(await run(['help', 'nothing'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("petstore: There is no command and no guide 'nothing'."),
  })
})
