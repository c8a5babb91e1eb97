#!/usr/bin/env bun
// The command line: which commands there are, and how one ends. 0: done. 1: it could not be done. 2: not understood.

import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json'
import { PetstoreError, StartError } from '../errors.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { copyCommand } from './copy.ts'
import { deprecatedCommand } from './deprecated.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { serveCommand } from './serve.ts'

const program = new Command('petstore')
  .description('Keeps the animals of a store, and serves them over HTTP.')
  .version(packageJson.version)
  .addCommand(serveCommand())
  .addCommand(keysCommand())
  .addCommand(deprecatedCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(migrateCommand())
  .addCommand(copyCommand())
throwing(program)

try {
  await program.parseAsync()
} catch (error) {
  // At once: what had been started before it failed would keep the process.
  process.exit(exitCode(error))
}

/** Lets commander throw where it would end the process: commands that were added do not inherit this. */
function throwing(command: Command): void {
  command.exitOverride().showHelpAfterError(`(${fullName(command)} --help tells more)`)
  for (const each of command.commands) throwing(each)
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

function exitCode(error: unknown): number {
  // Commander has already said what it had to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const expected = error instanceof StartError || error instanceof PetstoreError
  process.stderr.write(`petstore: ${expected ? error.message : Bun.inspect(error)}\n`)
  return 1
}
