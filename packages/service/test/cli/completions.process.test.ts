// What the shell completes: commands, options, their values, and the names of keys. And that it runs nothing of what is typed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { launcher, run } from '../../../../test/support/process.ts'
import { openTerminal, type Terminal } from '../../../../test/support/terminal.ts'
import { until } from '../../../../test/support/until.ts'

const cwd = mkdtempSync(temporaryFile('cwd-'))

test('completes names of keys in force, and ids of those whose name is not one word', async () => {
  const env = { PETSTORE_DATABASE: temporaryFile('keys.db') }
  await run(['migrate', '--apply'], { env })
  for (const name of ['till-1', 'till 2', 'lost']) await run(['keys', 'create', '--name', name], { env })
  await run(['keys', 'revoke', 'lost'], { env })
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { env })).stdout
  expect(await complete('keys', 'revoke', '')).toBe('till-1\tkey 1\n2\ttill 2\n:4\n')
  expect(await complete('keys', 'rotate', 'ti')).toBe('till-1\tkey 1\n:4\n')
  const none = { PETSTORE_DATABASE: temporaryFile('none.db') }
  expect((await run(['complete', '--', 'keys', 'revoke', ''], { env: none })).stdout).toBe(':4\n')
})

test('completes commands, options and their values', async () => {
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { cwd })).stdout
  expect(await complete('pe')).toContain('pets')
  expect(await complete('pets', 'i')).toContain('import')
  expect(await complete('pets', 's')).toContain('show')
  expect(await complete('pets', 'list', '--s')).toContain('--status')
  expect(await complete('pets', 'list', '--status', '')).toContain('pending')
  expect(await complete('serve', '--environment', '')).toBe('production\t\nstaging\t\n:4\n')
  expect(await complete('verify', '--level', 'p')).toBe('pets\t\n:4\n')
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    expect((await run(['completion', shell], { cwd })).stdout).toContain('petstore complete')
  }
})

test('of what the scripts for zsh and PowerShell evaluate, everything that is typed is quoted', async () => {
  expect((await run(['completion', 'zsh'], { cwd })).stdout).toContain(`flagPrefix="-P \${(q)BASH_REMATCH}"`)
  expect((await run(['completion', 'powershell'], { cwd })).stdout).toContain(`{ "'" + [System.Management.Automation`)
})

/**
 * How each is started without a person's own settings, and how it is given the completions. By its usual Tab, zsh runs a substitution
 * that ends at the cursor, behind any command: here Tab completes, and nothing else.
 */
const SHELLS: Record<string, { command: string[]; setUp: string }> = {
  bash: { command: ['bash', '--norc', '--noprofile', '-i'], setUp: 'source <(petstore completion bash)' },
  zsh: {
    command: ['zsh', '-f', '-i'],
    setUp: `bindkey '^I' complete-word; autoload -U compinit; compinit -u; source <(petstore completion zsh)`,
  },
  fish: { command: ['fish', '--no-config', '-i'], setUp: 'petstore completion fish | source' },
}

/** Each would make the file `was-run` if a shell looked at it a second time. */
const HOSTILE = [
  'petstore keys $(touch was-run) ',
  'petstore keys `touch was-run` ',
  'petstore $(touch was-run)',
  `petstore keys \${x:-$(touch was-run)} `,
  'petstore keys <(touch was-run) ',
  "petstore keys '$(touch was-run)' ",
  'petstore keys "a\\"; touch was-run; " ',
  'petstore keys \\; touch\\ was-run ',
  `petstore pets list --status=$(touch\${IFS}was-run)`,
  `petstore pets list --$(touch\${IFS}was-run)=`,
  'petstore keys revoke ’;touch was-run;’ ',
]
const [CLEAR_LINE, TAB] = ['\u0015', '\t']

describe.each(Object.keys(SHELLS))('%s', (shell) => {
  const there = Bun.which(shell) !== null
  const skipped = there ? '' : `: skipped, ${shell} missing`
  const { command, setUp } = SHELLS[shell] as (typeof SHELLS)[string]
  const folder = mkdtempSync(temporaryFile('path-'))
  const calls = join(folder, 'calls')
  let terminal: Terminal
  const completed = (words: string) => readFileSync(calls, 'utf8').includes(`complete -- ${words}\n`)
  beforeAll(async () => {
    if (!there) return
    writeFileSync(calls, '')
    writeFileSync(join(folder, 'petstore'), `#!/bin/sh\necho "$*" >>'${calls}'\nexec '${launcher}' "$@"\n`, {
      mode: 0o755,
    })
    const PATH = `${folder}:${process.env.PATH}`
    terminal = openTerminal([], { PATH, HOME: folder, PS1: '> ' }, 200, command)
    terminal.type(`cd '${folder}'; ${setUp}\r`)
    // What is typed before the shell reads its terminal is lost.
    while (!completed('keys')) {
      terminal.type(`${CLEAR_LINE}petstore keys${TAB}`)
      await Bun.sleep(100)
    }
  })
  afterAll(() => terminal?.type(`${CLEAR_LINE}exit\r`))

  test.skipIf(!there)(`runs nothing of what is typed${skipped}`, async () => {
    const marker = (index: number) => `was-run-${index}`
    for (const [index, line] of HOSTILE.entries()) {
      terminal.type(`${CLEAR_LINE}${line.replace('was-run', marker(index))}${TAB}`)
    }
    terminal.type(`${CLEAR_LINE}petstore keys ro${TAB}`)
    // The shell has then completed all that was typed before.
    await until('the shell has completed the words', () => completed('keys ro'))
    expect(HOSTILE.filter((_line, index) => existsSync(join(folder, marker(index))))).toEqual([])
  })

  // The others have the library's scripts.
  if (shell !== 'bash') return
  test.each([
    ['petstore keys ro', 'petstore keys rotate '],
    ['petstore pets list --status=pe', 'petstore pets list --status=pending '],
    ['petstore pets list --status pe', 'petstore pets list --status pending '],
    ['petstore pets list --url http://127.0.0.1:1/v1 --st', '/v1 --status '],
    ["petstore orders list --pet '1' --st", "--pet '1' --status "],
  ])('completes %s', async (typed, completed) => {
    terminal.type(`${CLEAR_LINE}${typed}${TAB}`)
    await terminal.waitForScreen(completed)
  })
})
