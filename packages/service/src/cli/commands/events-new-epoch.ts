// `petstore events new-epoch`: after a database was set back, no reader goes on as if nothing had happened.

import { Command } from 'commander'
import { configOf, withSettings } from '../../terminal/options.ts'
import { printLines } from '../../terminal/print.ts'
import { withStore } from '../with-store.ts'

export function newEpochCommand(): Command {
  const command = new Command('new-epoch')
    .description('Refuse all earlier cursors of the feed, in the store itself: after its database was set back.')
    .addHelpText(
      'after',
      `
It is a part of what petstore recovered does. petstore restore and petstore copy
do it by themselves.`,
    )
  return withSettings(command, 'database').action(async (_options, self: Command) => {
    await withStore(configOf(self), async (store) => store.endEpoch((await store.findEnd()).epoch))
    await printLines('A new epoch of the feed has begun: earlier cursors are refused, and their readers begin again.')
  })
}
