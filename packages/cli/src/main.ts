#!/usr/bin/env bun
// The command line: runs the command that its arguments name.

import { Command, Help, type Option } from 'commander'
import packageJson from '../../../package.json'
import { type Io, withIo } from '../../service/src/system/io.ts'
import { COMMANDS, OVERVIEW } from './commands/all.ts'
import { endWith, printError, sentenceOf } from './terminal/exit-codes.ts'
import { useNoProxy } from './terminal/plain-fetch.ts'
import { print, printNote } from './terminal/print.ts'

if (import.meta.main) {
  const status = await main(process.argv.slice(2))
  // Exit now, because timers or sockets of the failed command would keep the process alive.
  if (status !== 0) process.exit(status)
}

/**
 * Runs the command in `args` and resolves with its exit status when its output is written. The command uses only
 * `given` for input and output, and handles signals only if `given` is the process.
 */
export function main(args: readonly string[], given: Io = process): Promise<number> {
  return withIo(given, async () => {
    useNoProxy()
    const program = new Command('petstore')
      .version(packageJson.version)
      .helpCommand(false)
      // A flag belongs to the command before it: petstore events has flags that its subcommands have too.
      .enablePositionalOptions()
    const load = COMMANDS.get(args[0] ?? '')
    if (load) program.addCommand(await load())
    else {
      for (const load of COMMANDS.values()) program.addCommand(await load())
      const { helpCommand } = await import('./commands/help.ts')
      const { addCompletions } = await import('./completions.ts')
      program.addCommand(helpCommand(program))
      addCompletions(program, args)
    }
    // Commander writes help in several parts.
    let written = Promise.resolve()
    configure(program, (text) => {
      written = written.then(() => print(text))
    })
    try {
      await program.parseAsync(args, { from: 'user' }).finally(() => written)
      return 0
    } catch (error) {
      return endWith(error)
    }
  })
}

/** Makes commander throw instead of exiting, and print in our style. Subcommands do not inherit this. */
function configure(command: Command, writeOut: (text: string) => void): void {
  command
    .exitOverride()
    .configureHelp({
      visibleOptions: ownFirst,
      minWidthToWrap: 10,
      ...(!command.parent && { formatHelp: () => OVERVIEW }),
    })
    .showHelpAfterError(`  ${fullName(command)} --help shows the usage.`)
    .configureOutput({
      writeOut,
      writeErr: (text) => printNote(...text.trimEnd().split('\n')),
      outputError: (text) => printError(sentenceOf(text)),
    })
  for (const each of command.commands) configure(each, writeOut)
}

/** Sorts the command's own flags first, then --help, then shared settings, whose help mentions a variable. */
function ownFirst(this: Help, command: Command): Option[] {
  const rank = ({ long, description }: Option) => (/\(PETSTORE_/.test(description) ? 2 : long === '--help' ? 1 : 0)
  return Help.prototype.visibleOptions.call(this, command).toSorted((one, other) => rank(one) - rank(other))
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
