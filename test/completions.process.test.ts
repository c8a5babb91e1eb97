// What the shell completes: commands, options, their values, and the names of keys.

import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { root, run } from './support/process.ts'

const cwd = mkdtempSync(temporaryFile('cwd-'))

test('completes names of keys in force, and ids of those whose name is not one word', async () => {
  const env = { PETSTORE_DATABASE: temporaryFile('keys.db') }
  for (const name of ['till-1', 'till 2', 'lost']) await run(['keys', 'create', '--name', name], { env })
  await run(['keys', 'revoke', 'lost'], { env })
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { env })).stdout
  expect(await complete('keys', 'revoke', '')).toBe('till-1\tkey 1\n2\ttill 2\n:4\n')
  expect(await complete('keys', 'rotate', 'ti')).toBe('till-1\tkey 1\n:4\n')
  const none = { PETSTORE_DATABASE: temporaryFile('none.db') }
  expect((await run(['complete', '--', 'keys', 'revoke', ''], { env: none })).stdout).toBe(':4\n')
})

test('completes in bash without the package bash-completion', async () => {
  const script = `source <(petstore completion bash)
    COMP_WORDS=(petstore keys ro); COMP_CWORD=2; COMP_LINE='petstore keys ro'; COMP_POINT=16
    compopt() { :; }; __petstore_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
  const PATH = `${join(root, 'bin')}:${process.env.PATH}`
  const ended = await run([], { cwd, env: { PATH }, command: ['bash', '--norc', '-c', script] })
  expect([ended.stderr, ended.stdout]).toEqual(['', 'rotate\n'])
})

test('completes commands, options and their values', async () => {
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { cwd })).stdout
  expect(await complete('pe')).toContain('pets')
  expect(await complete('pets', 'i')).toContain('import')
  expect(await complete('pets', 'list', '--s')).toContain('--status')
  expect(await complete('pets', 'list', '--status', '')).toContain('pending')
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    expect((await run(['completion', shell], { cwd })).stdout).toContain('petstore complete')
  }
})
