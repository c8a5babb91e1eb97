// docs/first-minute.txt and README.md: what they print can be typed, in its order, and gives what it says.

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { launcher, root, run, serve } from './support/process.ts'

/** What differs in every recording. */
const told = (text: string) =>
  text
    .replaceAll(/pets_live_(?:\w{28}|…)/g, `pets_live_${'x'.repeat(28)}`)
    .replaceAll(/…\w{4}/g, '…xxxx')
    .replaceAll(/never .*$/gm, 'never')
    .replaceAll(/\d{4}-\d\d-\d\d(?: \d\d:\d\dZ)?/g, (date) => '9'.repeat(date.length))

/** What is typed, with what is printed below it. */
function typed(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const [, console = text] = /^```console\n([\s\S]*?)^```$/m.exec(text) ?? []
  return console
    .split(/^\$ /m)
    .slice(1)
    .filter((block) => !block.startsWith('npm start\n'))
}

test.each(['docs/first-minute.txt', 'README.md'])('%s: every command gives what is printed below it', async (file) => {
  const blocks = typed(file)
  const cwd = mkdtempSync(temporaryFile('clone-'))
  mkdirSync(join(cwd, 'bin'))
  symlinkSync(launcher, join(cwd, 'bin/petstore'))
  // A terminal shows no progress of so small a body.
  writeFileSync(join(cwd, '.curlrc'), 'silent\n')
  const service = await serve([], { cwd })
  const { port, host } = new URL(service.url)
  let before = ''
  for (const block of blocks) {
    const [words = ''] = /^(?:.*\\\n)*.*\n/.exec(block) ?? []
    const command = words.replaceAll(/pets_live_(?:x+|…)/g, service.key).replaceAll('127.0.0.1:8080', host)
    const script = `${before}${command}`
    const { stdout } = await run([], {
      cwd,
      env: { HOME: cwd, PETSTORE_PORT: port },
      command: ['sh', '-c', `exec 2>&1\n${script}`],
    })
    expect(told(words + stdout).trimEnd()).toBe(told(block).trimEnd())
    if (command.startsWith('export ')) before += command
  }
  expect(blocks.length).toBeGreaterThan(2)
  await service.stop()
})

test('README and first-minute.txt name the variable that the command line reads', () => {
  for (const file of ['README.md', 'docs/first-minute.txt']) {
    const [exported] = /^\$ export .*=(?=pets_live_)/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
    expect(exported).toBe('$ export PETSTORE_API_KEY=')
  }
})
