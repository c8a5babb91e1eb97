// `petstore migrate` checks whether a store's schema is up to date, or migrates it. Servers migrate when they start;
// this is for operators whose servers lack the permission, or who want to check first, and before other commands.

import { Command, Option } from 'commander'
import type { SchemaState } from '../../../service/src/domain/store.ts'
import { kindOf, migrateStore } from '../../../service/src/store/kinds.ts'
import { NegativeResult } from '../terminal/exit-codes.ts'
import { configOf, withSettings } from '../terminal/options.ts'
import { printLines, printNote } from '../terminal/print.ts'
import { requireStore } from '../with-store.ts'

export function migrateCommand(): Command {
  return withSettings(new Command('migrate'), 'database')
    .description('Migrate the schema of a store, or check whether it is up to date.')
    .addOption(new Option('--check', 'exit with 1 unless the schema is up to date; change nothing').conflicts('apply'))
    .addOption(new Option('--apply', 'migrate the schema'))
    .action(async ({ check, apply }: { check?: true; apply?: true }, self: Command) => {
      if (!check && !apply) self.error('error: use --check or --apply')
      const { database } = configOf(self)
      const kind = kindOf(database)
      const name = kind.describe(database)
      requireStore(database)
      const before = await kind.schema(database)
      if (apply && before.version < before.newest) {
        await migrateStore(database, { onMigration: printNote })
        return printLines(sentence(name, await kind.schema(database)))
      }
      await printLines(sentence(name, before))
      if (before.version !== before.newest) throw new NegativeResult()
    })
}

function sentence(name: string, { version, newest, refused }: SchemaState): string {
  if (refused !== undefined) return `${name} ${refused}.`
  if (version === newest) return `${name}: schema ${version}, up to date.`
  return `${name}: schema ${version} of ${newest}. Run petstore migrate --apply.`
}
