// Completions for shells. The library completes commands and flags. This file adds the names of keys, and makes the script for bash
// work without the package bash-completion.

import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { keyState } from '../domain/keys.ts'
import { printable } from '../observability/printable.ts'
import { kindOf } from '../store/kinds.ts'
import { write } from './print.ts'
import { withStore } from './with-store.ts'

/** The one function of bash-completion that the library's script calls. */
const BASH = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    }
fi
`

/** Call it after all commands have been added. */
export async function addCompletions(program: Command, [command, , ...words]: readonly string[]): Promise<void> {
  const completions = tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((each) => each.name() === 'completion')
    ?.description('Print completions for a shell.')
    .hook('preAction', (_program, { args: [shell] }) => {
      if (shell === 'bash') return write(BASH)
    })
  if (command !== 'complete' || words[0] !== 'keys') return
  const names = await keyNames()
  for (const name of ['keys revoke', 'keys rotate']) {
    completions.commands.get(name)?.argument('key', (complete) => {
      for (const [value, description] of names) complete(value, description)
    })
  }
}

/** The keys in force: each by its name where that is one word, else by its id. None where the store is not an up-to-date file. */
async function keyNames(): Promise<[value: string, description: string][]> {
  try {
    const config = readConfig(process.env)
    const kind = kindOf(config.database)
    const { version, newest } = await kind.schema(config.database)
    if (!kind.files || version !== newest) return []
    const keys = await withStore(config, {}, (store) => store.listKeys())
    return keys
      .filter((key) => keyState(key, Date.now()) === 'active')
      .map(({ id, name }) => (/^[\w.-]+$/.test(name) ? [name, `key ${id}`] : [String(id), printable(name)]))
  } catch {
    return []
  }
}
