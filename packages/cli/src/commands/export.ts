// The export commands of pets, orders and events, which write to a file or to stdout, page by page.

import { Command, Option } from 'commander'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { formats } from '../../../files/src/all.ts'
import { io } from '../../../service/src/system/io.ts'
import { createClient } from '../client.ts'
import { type FormatOptions, formatOf, withFormat } from '../data-files.ts'
import { NO_BAR, startProgress } from '../terminal/interaction.ts'
import { withClientSettings } from '../terminal/options.ts'
import { isStandardOutput, writeFile } from '../terminal/output-file.ts'
import { grouped, plural, printNote } from '../terminal/print.ts'

/** `Row`: an item in CSV. */
export interface Exported<Item, Filter, Row = Item> {
  noun: string
  /** The columns of CSV. */
  columns: readonly (keyof Row & string)[]
  /** `filter`: the options that the caller adds to the command. */
  list(client: PetstoreClient, filter: Filter): AsyncIterable<Item>
  /** Default: the items. */
  rows?(client: PetstoreClient, items: AsyncIterable<Item>): AsyncIterable<Row>
  /** Resolves with the number of items, or `undefined` if it is unknown. */
  count?(client: PetstoreClient, filter: Filter): Promise<bigint | undefined>
  /** Returns what else to say after an export. */
  note?(filter: Filter): string | undefined
  examples: readonly string[]
}

export function exportCommand<Item extends object, Filter, Row extends object = Item>({
  noun,
  columns,
  list,
  rows,
  count: countAll,
  note,
  examples,
}: Exported<Item, Filter, Row>): Command {
  const command = withClientSettings(new Command('export'))
    .description(`Write ${noun}s to a file or to standard output.`)
    .argument('[file]', 'the file (default: standard output, also written as -)')
  return withFormat(command, 'write CSV that Excel reads correctly and never runs as formulas')
    .addOption(new Option('--separator <character>', 'with --excel: ; for decimal commas').choices([',', ';']))
    .addHelpText(
      'after',
      `
An existing file is replaced only when the export is complete; pipes and devices
are written directly. Without --excel, CSV is exact: a spreadsheet may run text
in it as a formula.

Examples:
${examples.map((example) => `  petstore ${example}`).join('\n')}`,
    )
    .action(async (file = '-', options: FormatOptions & Filter, self: Command) => {
      const toFile = !isStandardOutput(file)
      const texts = formatOf(file, options)
      const client = createClient(self, { retries: 6 })
      // A bar would overwrite output at the terminal.
      const hasBar = io().stderr.isTTY && (toFile || !io().stdout.isTTY)
      const total = hasBar ? Number(await countAll?.(client, options)) || undefined : undefined
      const progress = hasBar ? startProgress('Exporting', total) : NO_BAR
      const of = total === undefined ? '' : ` of ${grouped(total)}`
      let count = 0
      async function* counted(): AsyncGenerator<Item> {
        for await (const item of list(client, options)) {
          yield item
          count++
          if (count % 100 === 0) progress.update(count, `${grouped(count)}${of} ${noun}s`)
        }
      }
      const hasColumns = texts !== formats.json && texts !== formats.ndjson
      const items = rows && hasColumns ? rows(client, counted()) : counted()
      const written = texts.write(items, columns, options.separator)
      try {
        await writeFile(file, written)
      } finally {
        progress.stop()
      }
      printNote(`Exported ${plural(count, noun)}${toFile ? ` to ${file}` : ''}.`)
      const said = note?.(options)
      if (said) printNote(said)
    })
}
