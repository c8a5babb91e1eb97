// `petstore completion SHELL` prints a script with a table of all commands, flags and choices. The script compares
// typed words with the table and never evaluates them. Each shell has a template, in which ROWS stands for the table.
// FIND stands for find.txt, which works in zsh and in bash 3.2 or later. It looks for the longest sequence of typed
// words that the table has, and adds the next words that begin like the last one to `found`, and to `shown` with their
// descriptions. Bash splits `--status=sold` into three words.

import { Argument, Command, type Option } from 'commander'
import { namesIfThere } from './categories.ts'
import bash from './completions/bash.txt' with { type: 'text' }
import find from './completions/find.txt' with { type: 'text' }
import fish from './completions/fish.txt' with { type: 'text' }
import powershell from './completions/powershell.txt' with { type: 'text' }
import zsh from './completions/zsh.txt' with { type: 'text' }
import { print } from './terminal/print.ts'

/** Short, because a shell may run this at each start. */
const NAMES_TIMEOUT_MS = 500
/** Characters without a special meaning in any shell. Other names would need quotes. */
const ONE_WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*$/u

const TEMPLATES = { bash, zsh, fish, powershell }

/** Call this after adding all other commands. */
export function addCompletions(program: Command, [command, dashes]: readonly string[]): void {
  const completion = new Command('completion')
    .description('Print completions for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(TEMPLATES)))
    .action(async (shell: keyof typeof TEMPLATES, _options, self: Command) => {
      const { categories } = await namesIfThere(self, NAMES_TIMEOUT_MS)
      const words = categories.map(({ name }) => name).filter((name) => ONE_WORD.test(name))
      const rows = tableRows(program, 'petstore', words).join('\n')
      await print(TEMPLATES[shell].replace('FIND\n', () => find).replace('ROWS', () => rows))
    })
  program.addCommand(completion)
  // Scripts printed by 1.0.0 call this command. It reports that there are no completions.
  const asked = new Command('complete').argument('[words...]').action(() => print(':4\n'))
  if (command === 'complete' && dashes === '--') program.addCommand(asked, { hidden: true })
}

/**
 * Each row has the words before, a possible next word, and its description. A flag with a value also has a row
 * without a next word. `categories`: the values of `--category`.
 */
function tableRows(command: Command, path: string, categories: string[]): string[] {
  const help = command.createHelp()
  const [commands, flags] = [help.visibleCommands(command), help.visibleOptions(command)]
  const row = (before: string, word = '', text = '') =>
    `${before}\t${word}\t${text.replaceAll("'", '’').replace(/(?: \(|\. |\.?$).*/ms, '')}`
  const valuesOf = (flag: Option) => (flag.long === '--category' ? { argChoices: categories } : flag)
  const choices = (before: string, { argChoices = [] }: { argChoices?: string[] | undefined }) =>
    argChoices.map((choice) => row(before, choice))
  return [
    ...commands.map((inner) => row(path, inner.name(), inner.description())),
    ...command.registeredArguments.flatMap((argument) => choices(path, argument)),
    ...flags.flatMap(({ long, description }) => row(path, long, description)),
    ...flags
      .filter(({ required }) => required)
      .flatMap((flag) => [row(`${path} ${flag.long}`), ...choices(`${path} ${flag.long}`, valuesOf(flag))]),
    ...commands.flatMap((inner) => tableRows(inner, `${path} ${inner.name()}`, categories)),
  ]
}
