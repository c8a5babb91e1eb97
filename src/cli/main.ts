#!/usr/bin/env bun
// The command line: which commands there are.

import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import packageJson from '../../package.json'
import { backupCommand, restoreCommand } from './backup.ts'
import { copyCommand } from './copy.ts'
import { demoCommand } from './demo.ts'
import { deprecatedCommand } from './deprecated.ts'
import { EXIT_STATUSES, endWith } from './exit-codes.ts'
import { keysCommand } from './keys.ts'
import { loginCommand, logoutCommand } from './login.ts'
import { migrateCommand } from './migrate.ts'
import { petsCommand } from './pets.ts'
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
  .addCommand(petsCommand())
  .addCommand(loginCommand())
  .addCommand(logoutCommand())
  .addCommand(demoCommand())
  .addHelpText('after', EXIT_STATUSES)
tab(program, { completionCommandName: 'completion' })
throwing(program)

try {
  await program.parseAsync()
} catch (error) {
  // At once: what had been started before it failed would keep the process.
  process.exit(endWith(error))
}

/** Lets commander throw where it would end the process: commands that were added do not inherit this. */
function throwing(command: Command): void {
  command.exitOverride().showHelpAfterError(`(${fullName(command)} --help tells more)`)
  for (const each of command.commands) throwing(each)
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
