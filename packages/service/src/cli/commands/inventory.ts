// `petstore inventory`: how many pets of a running service have each status.

import { Command } from 'commander'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { withClientSettings } from '../../terminal/options.ts'
import { grouped, printLines, write } from '../../terminal/print.ts'
import { table } from '../../terminal/table.ts'
import { createClient } from '../client.ts'

export function inventoryCommand(): Command {
  return withClientSettings(new Command('inventory'))
    .description('Show how many pets of a running service are available, pending and sold.')
    .option('--json', 'print JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore inventory')
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const inventory = await createClient(self).getInventory()
      const rows = Object.entries(inventory).map(([status, pets]) => [status, grouped(pets)])
      await (json ? write(`${stringifyJson(inventory)}\n`) : printLines(...table(['STATUS', 'PETS'], rows)))
    })
}
