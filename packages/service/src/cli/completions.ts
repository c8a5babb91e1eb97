// Completions for shells. The library completes commands and flags. This file adds the names of keys, and the scripts for shells, which
// must never evaluate what is typed.

import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { readConfig } from '../config/read-config.ts'
import { keyState } from '../domain/keys.ts'
import { printable } from '../observability/printable.ts'
import { kindOf } from '../store/kinds.ts'
import { io } from '../system/io.ts'
import { write } from './print.ts'
import { withStore } from './with-store.ts'

/** The library's script evaluates all words, and needs the package bash-completion. This one also suits bash 3.2, which macOS has. */
const BASH = `_petstore() {
    local word line words=() last=0
    # bash splits --status=sold into three words, and an address.
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((last > 0)) && [[ $word == [=:]* || \${words[last - 1]} == *[=:] ]]; then
            words[last - 1]+=$word
        else
            words[last++]=$word
        fi
    done
    COMPREPLY=()
    while IFS= read -r line; do
        [[ $line == :* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
    done < <(petstore complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _petstore petstore
`

/** Where the library's others do: in zsh with the text before =, in PowerShell with what follows a typographic quote. */
const MENDED: Record<string, readonly [from: string, to: string]> = {
  zsh: [`flagPrefix="-P \${BASH_REMATCH}"`, `flagPrefix="-P \${(q)BASH_REMATCH}"`],
  powershell: [
    `($_ -replace "'", "''")`,
    '[System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($_)',
  ],
}

/** Call it after all commands have been added. */
export async function addCompletions(program: Command, [command, , ...words]: readonly string[]): Promise<void> {
  const completions = tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((each) => each.name() === 'completion')
    ?.description('Print completions for a shell.')
    .action((shell: string) =>
      write(shell === 'bash' ? BASH : mended(shell, () => completions.setup('petstore', 'petstore', shell))),
    )
  if (command !== 'complete' || words[0] !== 'keys') return
  const names = await keyNames()
  for (const name of ['keys revoke', 'keys rotate']) {
    completions.commands.get(name)?.argument('key', (complete) => {
      for (const [value, description] of names) complete(value, description)
    })
  }
}

/** The script of the library, which only prints it. */
function mended(shell: string, print: () => void): string {
  const { log } = console
  let script = ''
  console.log = (text: string) => {
    script = `${text}\n`
  }
  print()
  console.log = log
  const [from, to] = MENDED[shell] ?? ['', '']
  if (!script.includes(from)) throw new Error(`The library's script for ${shell} has changed.`)
  return script.replace(from, () => to)
}

/** The keys in force: each by its name where that is one word, else by its id. None where the store is not an up-to-date file. */
async function keyNames(): Promise<[value: string, description: string][]> {
  try {
    const config = readConfig(io().env)
    const kind = kindOf(config.database)
    const { version, newest } = await kind.schema(config.database)
    if (!kind.files || version !== newest) return []
    const keys = await withStore(config, (store) => store.listKeys())
    return keys
      .filter((key) => keyState(key, Date.now()) === 'active')
      .map(({ id, name }) => (/^[\w.-]+$/.test(name) ? [name, `key ${id}`] : [String(id), printable(name)]))
  } catch {
    return []
  }
}
