// `--help` of every command: it fits 80 columns, and says what the command does in a sentence.

import { expect, test } from 'bun:test'
import { run } from './support/process.ts'

test('the help of every command is complete, and fits 80 columns', async () => {
  const commands: string[][] = [[]]
  const look = async (command: string[]): Promise<void> => {
    const { status, stdout } = await run([...command, '--help'], { env: { COLUMNS: '80' } })
    expect([command, status]).toEqual([command, 0])
    expect(stdout.split('\n').filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
    expect(stdout).toMatch(/^Usage: petstore .*\n\n[A-Z][^.]*\.\s/)
    const [, listed = ''] = stdout.split('\nCommands:\n')
    const names = [
      ...listed
        .split('\n\n', 1)
        .join('')
        .matchAll(/^ {2}([\w-]+)/gm),
    ].map(([, name]) => name as string)
    const inner = names.filter((name) => name !== 'help').map((name) => [...command, name])
    commands.push(...inner)
    await Promise.all(inner.map(look))
  }
  await look([])
  expect(commands.map((words) => words.join(' '))).toContain('keys rotate')
  expect(commands.length).toBeGreaterThan(30)
})
