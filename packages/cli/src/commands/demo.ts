// `petstore demo` adds the sample pets to a running service.

import { Command } from 'commander'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { addSamples, samplePets } from '../../../client/src/samples.ts'
import { createClient } from '../client.ts'
import { Interrupted } from '../terminal/exit-codes.ts'
import { confirm, startProgress } from '../terminal/interaction.ts'
import { withClientSettings } from '../terminal/options.ts'
import { plural, printNote } from '../terminal/print.ts'

export function demoCommand(): Command {
  return withClientSettings(new Command('demo'))
    .description(`Add ${samplePets.length} sample pets and their orders to a service, to try things out.`)
    .option('--yes', 'do not ask if the service already has pets', false)
    .addHelpText('after', '\nExamples:\n  petstore demo\n  petstore serve --ephemeral --demo')
    .action(async ({ yes }: { yes: boolean }, self: Command) => {
      const client = createClient(self)
      if (!yes) await checkEmpty(client)
      const progress = startProgress('Adding', samplePets.length)
      let added = 0
      const stopping = new AbortController()
      process.once('SIGINT', () => stopping.abort())
      try {
        for await (const _pet of addSamples(client, { until: stopping.signal }))
          progress.update(++added, plural(added, 'pet'))
      } finally {
        progress.stop()
        if (added > 0) printNote(`Added ${plural(added, 'sample pet')}. petstore pets list shows them.`)
      }
      if (added < samplePets.length) throw new Interrupted('Interrupted. Added pets remain.')
    })
}

/** Asks before adding samples to a store in use, because most pets cannot be removed. Throws StartError. */
async function checkEmpty(client: PetstoreClient): Promise<void> {
  const { pets } = await client.listPage({ limit: 1 })
  if (pets.length === 0) return
  await confirm(`The service already has pets. Add ${samplePets.length} sample pets?`, {
    stopped: 'Nothing was added.',
    unattended: 'The service already has pets. To add the sample pets anyway, use petstore demo --yes.',
  })
}
