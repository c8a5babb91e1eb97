#!/usr/bin/env bun
// The command line: its commands.

import { Command } from 'commander'
import packageJson from '../../package.json'
import { backupCommand, restoreCommand } from './backup.ts'
import { addCompletions } from './completions.ts'
import { copyCommand } from './copy.ts'
import { demoCommand } from './demo.ts'
import { deprecatedCommand } from './deprecated.ts'
import { EXIT_STATUSES, endWith } from './exit-codes.ts'
import { healthCommand } from './health.ts'
import { helpCommand } from './help.ts'
import { keysCommand } from './keys.ts'
import { loginCommand, logoutCommand } from './login.ts'
import { migrateCommand } from './migrate.ts'
import { inventoryCommand, ordersCommand } from './orders.ts'
import { petsCommand } from './pets.ts'
import { serveCommand } from './serve.ts'
import { openCommand, statusCommand } from './status.ts'

const program = new Command('petstore')
  .description('Keep the pets of a store, and serve them over HTTP.')
  .version(packageJson.version)
  .addCommand(serveCommand())
  .addCommand(healthCommand())
  .addCommand(keysCommand())
  .addCommand(deprecatedCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(migrateCommand())
  .addCommand(copyCommand())
  .addCommand(petsCommand())
  .addCommand(ordersCommand())
  .addCommand(inventoryCommand())
  .addCommand(loginCommand())
  .addCommand(logoutCommand())
  .addCommand(statusCommand())
  .addCommand(openCommand())
  .addCommand(demoCommand())
  .addHelpText('after', EXIT_STATUSES)
  .helpCommand(false)
program.addCommand(helpCommand(program))
await addCompletions(program, process.argv.slice(2))
throwing(program)

try {
  await program.parseAsync()
} catch (error) {
  // Exit now: what was started before the failure would keep the process alive.
  process.exit(endWith(error))
}

/** Makes commander throw where it would exit. Subcommands do not inherit this. */
function throwing(command: Command): void {
  command.exitOverride().showHelpAfterError(`(${fullName(command)} --help shows the usage)`)
  for (const each of command.commands) throwing(each)
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
