// `petstore copy` copies a whole store to another one, such as from a file to PostgreSQL or back. `petstore migrate`
// checks whether a store's schema is up to date, or migrates it. Servers migrate when they start; `migrate` is for
// operators whose servers lack the permission, or who want to check first, and before other commands.

import { Command, Option } from 'commander'
import { FlagError } from '../../../service/src/config/read-config.ts'
import type { SchemaState } from '../../../service/src/domain/store.ts'
import { copyStore } from '../../../service/src/store/copy.ts'
import { kindOf, migrateStore } from '../../../service/src/store/kinds.ts'
import { lowerPriority } from '../child-process.ts'
import { Interrupted, NegativeResult } from '../terminal/exit-codes.ts'
import { startProgress } from '../terminal/interaction.ts'
import { configOf, withSettings } from '../terminal/options.ts'
import { plural, printLines, printNote } from '../terminal/print.ts'
import { firstSignal } from '../terminal/stop.ts'
import { requireStore } from '../with-store.ts'

/** The bar shows thousandths. */
const BAR_MAX = 1_000

export function copyCommand(): Command {
  return new Command('copy')
    .description('Copy a whole store to another: pets, orders and keys, with their ids and times.')
    .requiredOption('--from <address>', 'a file, or postgres://USER@HOST:PORT/DATABASE')
    .requiredOption('--to <address>', 'the same; created if it does not exist; must be empty')
    .addHelpText(
      'after',
      `
Stop the servers of both stores first. The copy is one transaction: it is
compared with the source before it is committed, so if it fails or is
interrupted, nothing is left, and you can run the same command again. For
PostgreSQL, use the role that owns the tables (petstore help postgresql). Other
users can see the addresses in the process list: pass the password as
PGPASSWORD instead.

Example:
  PGPASSWORD=… petstore copy --from data/petstore.db \\
    --to postgres://petstore_owner@db.example/petstore`,
    )
    .action(async ({ from, to }: { from: string; to: string }) => {
      lowerPriority()
      const progress = startProgress(`${checkedName('--from', from)} → ${checkedName('--to', to)}`, BAR_MAX)
      let isInterrupted = false
      void firstSignal().then(() => {
        isInterrupted = true
      })
      const rows = await copyStore(from, to, ({ step, done, total }) => {
        if (isInterrupted) throw new Interrupted('Interrupted. Nothing was copied.')
        progress.update(Math.floor((BAR_MAX * done) / total), step)
      }).finally(() => progress.stop())
      const counts = Object.entries(rows).map(([table, count]) =>
        plural(count, table.replaceAll('_', ' ').slice(0, -1)),
      )
      await printLines(`Copied and compared: ${counts.join(', ')}.`)
    })
}

/** The address without its password. */
function checkedName(flag: string, address: string): string {
  const kind = kindOf(address)
  try {
    kind.check(address)
    return kind.describe(address)
  } catch (error) {
    throw new FlagError(`${flag} ${(error as Error).message}.`)
  }
}

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
  // Only servers of the previous version can use the next schema.
  const first = version < newest - 1 ? ' Stop the servers of all earlier versions first.' : ''
  return `${name}: schema ${version} of ${newest}. Run petstore migrate --apply.${first}`
}
