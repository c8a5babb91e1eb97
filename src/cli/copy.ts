// `petstore copy`: everything of one store into another, such as from a file to PostgreSQL or back.

import { Command } from 'commander'
import { StartError } from '../domain/errors.ts'
import { type CopyProgress, copyStore } from '../store/copy.ts'
import { kindOf } from '../store/kinds.ts'
import { startProgress } from './progress.ts'

/** The bar's steps: what a row is does not matter to it. */
const BAR_MAX = 1_000

export function copyCommand(): Command {
  return new Command('copy')
    .description('Copy everything of a store to another: animals, keys and times stay as they are.')
    .requiredOption('--from <address>', 'a file, or postgres://USER@HOST:PORT/DATABASE')
    .requiredOption('--to <address>', 'the same; made when it is not there, and holding nothing else')
    .addHelpText(
      'after',
      `
Stop the servers of both stores first. After an interruption run it again: it goes on where it was. In the end it reads
both and compares them. Addresses are seen in the list of processes: give the password as PGPASSWORD instead.

Example:
  PGPASSWORD=… petstore copy --from data/petstore.db --to postgres://petstore@db.example/petstore`,
    )
    .action(async ({ from, to }: { from: string; to: string }) => {
      const progress = startProgress(`${checkedName('--from', from)} → ${checkedName('--to', to)}`, BAR_MAX)
      let rows: Record<string, number>
      try {
        rows = await copyStore(from, to, ({ step, done, total }: CopyProgress) => {
          progress.update(Math.floor((BAR_MAX * done) / total), step)
        })
      } finally {
        progress.stop()
      }
      const said = Object.entries(rows).map(([table, count]) => `${count} ${table.replaceAll('_', ' ')}`)
      process.stdout.write(`Copied and compared: ${said.join(', ')}.\n`)
    })
}

/** The address as it may be shown. */
function checkedName(flag: string, address: string): string {
  const kind = kindOf(address)
  try {
    kind.check(address)
    return kind.describe(address)
  } catch (error) {
    throw new StartError(`${flag} ${(error as Error).message}.`)
  }
}
