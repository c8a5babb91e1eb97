// `petstore migrate`: whether a store's schema is that of this program, and bringing it there. A start does so by itself,
// where its user may; this is for who keeps that right to another user, or wants to know beforehand.

import { Command, Option } from 'commander'
import { kindOf, migrateStore, type SchemaState } from '../store/kinds.ts'
import { configOf, withSettings } from './options.ts'

export function migrateCommand(): Command {
  return withSettings(new Command('migrate'), 'database')
    .description('Bring the schema of a store up to date, or check whether it is.')
    .addOption(
      new Option('--check', 'change nothing; exit with 1 unless the schema is that of this version').conflicts('apply'),
    )
    .addOption(new Option('--apply', 'bring the schema up to date'))
    .action(async ({ check, apply }: { check?: true; apply?: true }, self: Command) => {
      if (!check && !apply) self.error('error: give --check or --apply')
      const { database } = configOf(self)
      const kind = kindOf(database)
      const name = kind.describe(database)
      const before = await kind.schema(database)
      if (apply && before.version < before.newest) {
        await migrateStore(database)
        process.stdout.write(`${name}: ${sentence(await kind.schema(database))}\n`)
        return
      }
      process.stdout.write(`${name}: ${sentence(before)}\n`)
      if (before.version !== before.newest) process.exitCode = 1
    })
}

function sentence({ version, newest }: SchemaState): string {
  if (version === newest) return `schema ${version}, up to date.`
  if (version > newest) return `schema ${version}, of a newer petstore: this one knows ${newest}.`
  const steps = newest - version === 1 ? '1 migration is' : `${newest - version} migrations are`
  return `schema ${version} of ${newest}: ${steps} to be applied. petstore migrate --apply does it.`
}
