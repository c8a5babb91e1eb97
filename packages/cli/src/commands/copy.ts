// `petstore copy` copies a whole store to another one, such as from a file to PostgreSQL or back.

import { Command } from 'commander'
import { FlagError } from '../../../service/src/config/read-config.ts'
import { type CopyProgress, copyStore } from '../../../service/src/store/copy.ts'
import { kindOf } from '../../../service/src/store/kinds.ts'
import { lowerPriority } from '../low-priority.ts'
import { plural, printLines } from '../terminal/print.ts'
import { startProgress } from '../terminal/progress.ts'
import { unlessInterrupted } from '../terminal/stop.ts'

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
Stop the servers of both stores first. After an interruption, run the same
command again: it continues where it stopped. At the end it compares the two
stores; until then no other command opens the target. For PostgreSQL, use the
role that owns the tables (petstore help postgresql). Other users can see the
addresses in the process list: pass the password as PGPASSWORD instead.

Example:
  PGPASSWORD=… petstore copy --from data/petstore.db \\
    --to postgres://petstore_owner@db.example/petstore`,
    )
    .action(async ({ from, to }: { from: string; to: string }) => {
      lowerPriority()
      const progress = startProgress(`${checkedName('--from', from)} → ${checkedName('--to', to)}`, BAR_MAX)
      let rows: Record<string, number>
      try {
        const onProgress = ({ step, done, total }: CopyProgress) =>
          progress.update(Math.floor((BAR_MAX * done) / total), step)
        rows = await unlessInterrupted(
          copyStore(from, to, onProgress),
          `${kindOf(from).describe(from)} is unchanged; ${kindOf(to).describe(to)} is unfinished, ` +
            'and no other command opens it. Run the same command again to continue.',
        )
      } finally {
        progress.stop()
      }
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
