// `--help` of every command.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../../../test/support/process.ts'
import { expectReleased } from '../../../test/support/released.ts'
import { openTerminal, plain } from '../../../test/support/terminal.ts'
import { COMMANDS } from '../src/commands/all.ts'

test('every command has help that fits 80 columns, and appears in docs/ and in a test', async () => {
  const commands: string[][] = [[]]
  const helps = new Map<string, string>()
  const look = async (command: string[]): Promise<void> => {
    const { status, stdout } = await run([...command, '--help'], { env: { COLUMNS: '80' } })
    expect([command, status]).toEqual([command, 0])
    helps.set(command.join(' '), stdout)
    expect(stdout.split('\n').filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
    // Flags of the command come before shared settings.
    const [, flags = ''] = /\nOptions:\n(.*?)(?:\n\n|$)/s.exec(stdout) ?? []
    const areShared = flags.split(/\n(?= {2}-)/).map((flag) => Number(flag.includes('(PETSTORE_')))
    expect([command, areShared]).toEqual([command, areShared.toSorted()])
    expect(stdout).toMatch(/^Usage: petstore .*\n\n[A-Z][^.]*\.\s/)
    // An example with a fixed date fails after that date.
    expect(stdout).not.toMatch(/^ {2}petstore .*--expires \d{4}-/m)
    const [, listed = ''] = stdout.split('\nCommands:\n')
    const rows = listed
      .split('\n\n', 1)
      .join('')
      .matchAll(/^ {2}([\w-]+(?:, [\w-]+)*)/gm)
    const names = [...rows].flatMap(([, some = '']) => some.split(', '))
    const inner = names.filter((name) => name !== 'help').map((name) => [...command, name])
    commands.push(...inner)
    await Promise.all(inner.map(look))
  }
  await look([])
  expect(commands.map((words) => words.join(' '))).toContain('keys rotate')
  expect(commands.length).toBeGreaterThan(30)
  // Commands that call a service can name one on this machine.
  const local = (help: string) => ['--url', '--host', '--port'].filter((flag) => help.includes(`\n  ${flag} `)).length
  expect([...helps].filter(([command, help]) => command !== 'serve' && local(help) % 3 > 0)).toEqual([])
  // The overview lists all commands on one screen.
  const inner = commands.filter(({ length }) => length === 1).flat()
  expect(inner.toSorted()).toEqual([...COMMANDS.keys(), 'completion'].sort())
  expect(helps.get('')?.trimEnd().split('\n').length).toBeLessThan(24)
  const flagsOf = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
  const shown = helps
    .entries()
    .flatMap(([command, help]) => [command, ...flagsOf(help).map((flag) => `${command} ${flag}`)])
  expectReleased(
    'commands',
    [...shown].filter((one) => one !== ''),
  )
  const statuses = [...(await run(['help'])).stdout.matchAll(/^ {2}(\d+) {2}/gm)].map(([, status]) => status as string)
  expectReleased('exit statuses', statuses)
  const read = (pattern: string) =>
    [...new Bun.Glob(pattern).scanSync({ cwd: root, absolute: true })].map((path) => readFileSync(path, 'utf8'))
  const tests = [...read('test/**/*.ts'), ...read('packages/*/test/**/*.ts')].join('')
  const pages = read('docs/*.md').join('')
  for (const words of commands.slice(1)) {
    const [command, quoted] = [words.join(' '), words.map((word) => `'${word}'`).join(', ')]
    // For a group of commands, such as keys, docs and tests cover each command.
    if (commands.some((other) => other.length > words.length && words.every((word, n) => word === other[n]))) continue
    expect([command, 'in docs/', pages.includes(command)]).toEqual([command, 'in docs/', true])
    // test/docs.sessions.process.test.ts runs the sessions in docs/.
    const isRun = tests.includes(quoted) || new RegExp(`\n\\$ petstore ${command}[ \n]`).test(pages)
    expect([command, 'in a test', isRun]).toEqual([command, 'in a test', true])
  }
  // Each `petstore …` in docs/ has only flags that exist.
  for (const [, written = ''] of pages.matchAll(/(?:bin\/|(?<=[`$ (]))petstore ((?:[^`\n|&;#)\\]|\\\n)+)/g)) {
    const words = written.split(/\s+/)
    const lengths = words.map((_, n) => n + 1).filter((n) => helps.has(words.slice(0, n).join(' ')))
    const command = words.slice(0, lengths.at(-1) ?? 0).join(' ')
    const flags = command === '' ? [] : (written.match(/(?<!\S)--[a-z-]+/g) ?? [])
    expect([written, flags.filter((flag) => !helps.get(command)?.includes(flag))]).toEqual([written, []])
  }
})

test('help COMMAND prints the help of a command, also under its earlier name', async () => {
  expect(await run(['help', 'keys', 'rotate'])).toEqual(await run(['keys', 'rotate', '--help']))
  expect(await run(['help', 'pets', 'get'])).toEqual(await run(['pets', 'show', '--help']))
})

test('help PAGE prints the address of each page in docs/', async () => {
  const { stdout } = await run(['help'])
  const [, listed = ''] = stdout.split('addresses of these pages, too:')
  const names = [...new Bun.Glob('*.md').scanSync(join(root, 'docs'))]
  expect(listed.split(',').length).toBe(names.length)
  for (const name of names) {
    const page = name.replace('.md', '')
    const topic = COMMANDS.has(page) ? name : page
    expect([name, stdout]).toEqual([
      name,
      expect.stringMatching(new RegExp(`[ ,]${topic.replace('.', '\\.')}(?:,|\n)`)),
    ])
    expect((await run(['help', topic])).stdout).toBe(`${join(root, 'docs', name)}\n`)
  }
})

test('the description of a flag stays next to it at a terminal of 40 columns', async () => {
  const terminal = openTerminal(['keys', 'create', '--help'], {}, 40)
  expect(await terminal.exited).toBe(0)
  await terminal.waitFor("'till 3'")
  expect(plain(terminal.shown())).toMatch(/ {2}--expires <duration> {2}how long the key\n {24}works, such as\n/)
})
