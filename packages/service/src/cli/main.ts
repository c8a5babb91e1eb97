#!/usr/bin/env bun
// The command line: runs the command that its arguments name.

import { Command, Help, type Option } from 'commander'
import packageJson from '../../../../package.json'
import { COMMANDS } from './commands/all.ts'
import { endWith, printError, sentenceOf } from './exit-codes.ts'
import { OVERVIEW } from './overview.ts'
import { useNoProxy } from './plain-fetch.ts'
import { printNote, write } from './print.ts'

const program = new Command('petstore')
  .version(packageJson.version)
  .helpCommand(false)
  // A flag belongs to the command that it follows: petstore events has some that its own commands have, too.
  .enablePositionalOptions()
useNoProxy()
const load = COMMANDS.get(process.argv[2] ?? '')
if (load) program.addCommand(await load())
else await addAll()
configure(program)

/** What commander writes to standard output: help, the version. */
let written = Promise.resolve()
try {
  await program.parseAsync().finally(() => written)
} catch (error) {
  // Exit now: what was started before the failure would keep the process alive.
  process.exit(endWith(error))
}

async function addAll(): Promise<void> {
  for (const load of COMMANDS.values()) program.addCommand(await load())
  program.addCommand((await import('./commands/help.ts')).helpCommand(program))
  await (await import('./completions.ts')).addCompletions(program, process.argv.slice(2))
}

/** Makes commander throw where it would exit, and print as everything else does. Subcommands do not inherit this. */
function configure(command: Command): void {
  command
    .exitOverride()
    .configureHelp({ visibleOptions: ownFirst, ...(command === program && { formatHelp: () => OVERVIEW }) })
    .showHelpAfterError(`  ${fullName(command)} --help shows the usage.`)
    .configureOutput({
      writeOut(text) {
        // Help comes in parts.
        written = written.then(() => writeHelp(text))
      },
      writeErr: (text) => printNote(...text.trimEnd().split('\n')),
      outputError: (text) => printError(sentenceOf(text)),
    })
  for (const each of command.commands) configure(each)
}

/** The flags of the command itself, then --help, then the settings that other commands have, too, named with their variable. */
function ownFirst(this: Help, command: Command): Option[] {
  const rank = ({ long, description }: Option) => (/\(PETSTORE_/.test(description) ? 2 : long === '--help' ? 1 : 0)
  return Help.prototype.visibleOptions.call(this, command).toSorted((one, other) => rank(one) - rank(other))
}

async function writeHelp(text: string): Promise<void> {
  // A terminal that does not know its width says 0.
  const { isTTY, columns } = process.stdout
  if (!isTTY || columns === 0 || columns >= 80) return write(text)
  const { folded } = await import('./guides.ts')
  await write(folded(text, columns))
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
