// `petstore backup` and `petstore restore`, for stores that are files.

import { Command } from 'commander'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { kindOf, type StoreFiles } from '../../../service/src/store/kinds.ts'
import { io } from '../../../service/src/system/io.ts'
import { runWatched } from '../child-with-progress.ts'
import { lowerPriority } from '../low-priority.ts'
import { configOf, withSettings } from '../terminal/options.ts'
import { grouped, plural, printLines } from '../terminal/print.ts'
import { requireStore } from '../with-store.ts'
import { activeKeysListing, type SkipIds, skipIdsOption, skippedIdsSentence } from './recovered.ts'

export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Copy the store to a new file. Services can use the store during the backup.')
    .argument('<file>', 'the new file')
    .addHelpText('after', '\nExample:\n  petstore backup /backups/petstore-monday.db')
  return withSettings(command, 'database').action(async (file: string, _options, self: Command) => {
    const { database } = configOf(self)
    const files = filesOf(database)
    requireStore(database)
    if (io().stderr.isTTY) {
      const args = ['backup', file, '--database', database]
      return runWatched({ what: 'Backing up', args, from: database, to: file })
    }
    lowerPriority()
    const contents = files.backUp(database, file)
    await printLines(`Backed up ${counted(contents)} to ${file}.`)
  })
}

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Replace the store with a backup. Stop the services of the store first.')
    .argument('<file>', 'the backup; it is checked first, and kept')
    .addOption(skipIdsOption())
    .option('--if-needed', 'do nothing if the store exists or the backup does not; for use at each start', false)
    .addHelpText(
      'after',
      `
The restored store gets the same changes as with petstore recovered. The command
lists the active keys: a key that was revoked after the backup works again.

Example:
  petstore restore /backups/petstore-monday.db`,
    )
  return withSettings(command, 'database').action(
    async (file: string, { skipIds, ifNeeded }: SkipIds & { ifNeeded: boolean }, self: Command) => {
      const { database } = configOf(self)
      const files = filesOf(database)
      const kind = kindOf(database)
      if (ifNeeded && kind.exists(database)) return printLines('There is a store already; nothing was restored.')
      if (ifNeeded && !kind.exists(file)) return printLines('There is no backup; nothing was restored.')
      if (io().stderr.isTTY) {
        const args = ['restore', file, '--database', database, '--skip-ids', String(skipIds)]
        return runWatched({ what: 'Restoring', args, from: file, to: database })
      }
      lowerPriority()
      const { kept, known, unsynced, ...contents } = files.restore(file, database, skipIds)
      await printLines(`Restored ${counted(contents)} to ${database}.`)
      if (kept.length > 0) await printLines(`The previous store is kept as ${kept.join(' and ')}.`)
      await printLines(skippedIdsSentence(skipIds), ...activeKeysListing(known))
      if (unsynced !== undefined) {
        throw new StartError(
          `The store was restored, but may not survive a power failure: its folder could not be synced (${unsynced}).`,
        )
      }
    },
  )
}

export function filesOf(database: string): StoreFiles {
  const { files } = kindOf(database)
  if (files) return files
  throw new StartError('This command is for files. Back up PostgreSQL with its own tools: petstore help backups.')
}

export function counted({ pets, orders, keys, bytes }: ReturnType<StoreFiles['backUp']>): string {
  return `${plural(pets, 'pet')}, ${plural(orders, 'order')} and ${plural(keys, 'key')} (${grouped(bytes / 1e6, 1)} MB)`
}
