// `petstore demo`: adds the sample pets to a running service.

import { Command } from 'commander'
import type { PetstoreClient } from '../../../../client/src/petstore.ts'
import { addSamples, samplePets } from '../../../../client/src/samples.ts'
import { Interrupted } from '../../terminal/exit-codes.ts'
import { withClientSettings } from '../../terminal/options.ts'
import { plural, printNote } from '../../terminal/print.ts'
import { startProgress } from '../../terminal/progress.ts'
import { confirm } from '../../terminal/prompt.ts'
import { createClient } from '../client.ts'

export function demoCommand(): Command {
  return withClientSettings(new Command('demo'))
    .description(`Add ${samplePets.length} sample pets and their orders to a service, to try things out.`)
    .option('--yes', 'do not ask when the service has pets already', false)
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
      if (added < samplePets.length) throw new Interrupted('Interrupted. What was added stays.')
    })
}

/** Most pets cannot be removed, so a store in use should not get sample pets by mistake. Throws StartError. */
async function checkEmpty(client: PetstoreClient): Promise<void> {
  const { pets } = await client.listPage({ limit: 1 })
  if (pets.length === 0) return
  await confirm(`The service has pets already. Add ${samplePets.length} sample pets?`, {
    stopped: 'Nothing was added.',
    unattended: 'The service has pets already. To add the sample pets to them, use petstore demo --yes.',
  })
}
