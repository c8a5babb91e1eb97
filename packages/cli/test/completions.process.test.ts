// Shell completions offer commands, flags and choices, and never run the typed command.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { launcher, run } from '../../../test/support/process.ts'
import { openTerminal, type Terminal } from '../../../test/support/terminal.ts'
import { until } from '../../../test/support/until.ts'

test.each(['bash', 'zsh', 'fish', 'powershell'])('the script for %s has commands, flags and choices', async (shell) => {
  const { stdout } = await run(['completion', shell])
  const rows = stdout.split('\n').filter((line) => line.includes('\t'))
  for (const row of [
    'petstore\tpets\tList, add, show, correct, delete, import and export the pets of a running service',
    'petstore pets\timport\tAdd the pets in a file',
    'petstore pets list\t--status\tonly pets with this status',
    'petstore pets list --status\tpending\t',
    'petstore serve --environment\tstaging\t',
    'petstore serve --host\t\t',
    'petstore verify --level\tpets\t',
    'petstore completion\tzsh\t',
  ]) {
    expect(rows).toContain(row)
  }
  // The table is in single quotes.
  expect(rows.filter((row) => /['\\]|\t.*undefined/.test(row))).toEqual([])
})

test('`complete`, which completion scripts of 1.0.0 call, returns no completions', async () => {
  expect(await run(['complete', '--', 'keys', 'revoke', ''])).toEqual({ stdout: ':4\n', stderr: '', status: 0 })
  expect((await run(['complete', '5'])).stderr).toContain('Did you mean petstore orders complete ORDER?')
})

/**
 * How to start each shell without personal settings and load the completions. zsh's default Tab binding runs a command
 * substitution before the cursor, with or without our completions, so the test binds Tab to completion only.
 */
const SHELLS: Record<string, { command: string[]; setUp: string }> = {
  bash: { command: ['bash', '--norc', '--noprofile', '-i'], setUp: 'source <(petstore completion bash)' },
  zsh: {
    command: ['zsh', '-f', '-i'],
    setUp: `bindkey '^I' complete-word; autoload -U compinit; compinit -u; source <(petstore completion zsh)`,
  },
}

/** Each line creates the file `was-run` if a shell evaluates it again. */
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
  const isInstalled = Bun.which(shell) !== null
  const skipped = isInstalled ? '' : `: skipped, ${shell} missing`
  const { command, setUp } = SHELLS[shell] as (typeof SHELLS)[string]
  const folder = mkdtempSync(temporaryFile('path-'))
  let terminal: Terminal
  beforeAll(async () => {
    if (!isInstalled) return
    symlinkSync(launcher, join(folder, 'petstore'))
    const PATH = `${folder}:${process.env.PATH}`
    terminal = openTerminal([], { PATH, HOME: folder, PS1: '> ' }, 200, command)
    terminal.type(`cd '${folder}'; ${setUp}\r`)
    // Input is lost until the shell reads its terminal, so type it again.
    await until(
      'the shell has the completions',
      () => {
        terminal.type(`${CLEAR_LINE}petstore keys ro${TAB}`)
        return terminal.shown().includes('rotate')
      },
      { everyMs: 100 },
    )
  })
  afterAll(() => terminal?.type(`${CLEAR_LINE}exit\r`))

  test.skipIf(!isInstalled)(
    `completes commands, flags and choices, and never runs what was typed${skipped}`,
    async () => {
      const marker = (index: number) => `was-run-${index}`
      for (const [index, line] of HOSTILE.entries()) {
        terminal.type(`${CLEAR_LINE}${line.replace('was-run', marker(index))}${TAB}`)
      }
      for (const [typed, completed] of [
        ['petstore keys ro', 'petstore keys rotate '],
        ['petstore pets list --status=pe', 'petstore pets list --status=pending '],
        ['petstore pets list --status pe', 'petstore pets list --status pending '],
        ['petstore pets list --url http://127.0.0.1:1/v1 --st', '/v1 --status '],
        ["petstore orders list --pet '1' --st", "--pet '1' --status "],
      ] as const) {
        terminal.type(`${CLEAR_LINE}${typed}${TAB}`)
        await terminal.waitForScreen(completed)
      }
      expect(HOSTILE.filter((_line, index) => existsSync(join(folder, marker(index))))).toEqual([])
    },
  )
})
