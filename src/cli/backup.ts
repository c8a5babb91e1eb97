// `petstore backup` and `petstore restore`: copies of the embedded store, while services write, and back again.

import { resolve } from 'node:path'
import { Command } from 'commander'
import { StartError } from '../domain/errors.ts'
import { isPostgresAddress } from '../store/postgres/address.ts'
import { backUp, type Contents } from '../store/sqlite/backup.ts'
import { restore } from '../store/sqlite/restore.ts'
import { configOf, withSettings } from './options.ts'

export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Copy the store to a new file, while services use it.')
    .argument('<file>', 'the new file')
    .addHelpText('after', '\nExample:\n  petstore backup /backups/petstore-monday.db')
  return withSettings(command, 'database').action((file: string, _options, self: Command) => {
    const contents = backUp(storeFile(self), resolve(file))
    say(`Backed up ${counted(contents)} to ${file}.`)
  })
}

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Put a backup in the place of the store. No service may be using it.')
    .argument('<file>', 'the backup; it is checked first, and stays')
    .addHelpText('after', '\nExample:\n  petstore restore /backups/petstore-monday.db')
  return withSettings(command, 'database').action((file: string, _options, self: Command) => {
    const path = storeFile(self)
    const { kept, ...contents } = restore(resolve(file), path)
    say(`Restored ${counted(contents)} to ${path}.`)
    if (kept.length > 0) say(`The store that was there is kept as ${kept.join(' and ')}.`)
  })
}

function storeFile(command: Command): string {
  const { database } = configOf(command)
  if (isPostgresAddress(database)) {
    throw new StartError('This is for files. PostgreSQL is backed up with its own tools: see docs/postgresql.md.')
  }
  return resolve(database)
}

function counted({ pets, keys, bytes }: Contents): string {
  const megabytes = (bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })
  return `${pets.toLocaleString('en')} animals and ${keys.toLocaleString('en')} keys (${megabytes} MB)`
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
