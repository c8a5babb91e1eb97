// `petstore demo`: adds the sample pets to a running service.

import { Command } from 'commander'
import { addSamples, samplePets } from '../client/samples.ts'
import { createClient } from './client.ts'
import { withConnection } from './options.ts'
import { plural } from './output.ts'
import { startProgress } from './progress.ts'

export function demoCommand(): Command {
  return withConnection(new Command('demo'))
    .description(`Add ${samplePets.length} sample pets to a service, to try things out.`)
    .addHelpText('after', '\nExamples:\n  petstore demo\n  petstore serve --ephemeral --demo')
    .action(async (_options, self: Command) => {
      const progress = startProgress('Adding', samplePets.length)
      let added = 0
      try {
        for await (const _pet of addSamples(createClient(self))) progress.update(++added, plural(added, 'pet'))
      } finally {
        progress.stop()
        process.stderr.write(`Added ${added} sample pets. petstore pets list shows them.\n`)
      }
    })
}
