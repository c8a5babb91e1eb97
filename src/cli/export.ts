// `petstore pets export`: writes every pet of a service to a file or to standard output, page by page.

import { Command, Option } from 'commander'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { createClient } from './client.ts'
import { type FormatName, formatNames, formatOf } from './formats/formats.ts'
import { statusOption, withConnection } from './options.ts'
import { plural, writeAll, writeFile } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

interface ExportOptions {
  format?: FormatName
  status?: Pet['status']
}

export function exportCommand(): Command {
  return withConnection(new Command('export'))
    .description('Write pets to a file or to standard output.')
    .argument('[file]', 'the file (default: standard output, also written as -)')
    .addOption(new Option('--format <format>', "the format (default: from the file's extension)").choices(formatNames))
    .addOption(statusOption('only pets with this status'))
    .addHelpText(
      'after',
      `
An existing file is replaced only when the export is complete.

Examples:
  petstore pets export pets.csv
  petstore pets export --format ndjson --status sold | gzip > sold.ndjson.gz`,
    )
    .action(async (file: string | undefined, { format, status }: ExportOptions, self: Command) => {
      const toFile = file !== undefined && file !== '-'
      const texts = formatOf(file, format)
      const client = createClient(self, { retries: 6 })
      const progress = startProgress('Exporting', undefined)
      const counter = { count: 0 }
      const written = texts.write(counted(client, status, progress, counter))
      try {
        await (toFile ? writeFile(file, written) : writeAll(written))
      } finally {
        progress.stop()
      }
      process.stderr.write(`Exported ${plural(counter.count, 'pet')}${toFile ? ` to ${file}` : ''}.\n`)
    })
}

async function* counted(
  client: PetstoreClient,
  status: Pet['status'] | undefined,
  progress: Progress,
  counter: { count: number },
): AsyncGenerator<Pet> {
  for await (const pet of client.listPets({ status })) {
    yield pet
    counter.count++
    if (counter.count % 100 === 0) progress.update(counter.count, plural(counter.count, 'pet'))
  }
}
