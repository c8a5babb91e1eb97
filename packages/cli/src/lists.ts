// The commands that list pets and orders page by page, and that export pets, orders and events to a file or to stdout.

import { Command, Option } from 'commander'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { PAGE_MAX } from '../../contract/src/generated.ts'
import { formats, WORKBOOK_NAME } from '../../files/src/all.ts'
import { FileError } from '../../files/src/format.ts'
import { stringifyJsonArray } from '../../files/src/json.ts'
import { FlagError } from '../../service/src/config/read-config.ts'
import { numberFrom } from '../../service/src/config/setting-parsers.ts'
import { io } from '../../service/src/system/io.ts'
import { createClient } from './client.ts'
import { type FormatOptions, formatOf, withFormat } from './data-files.ts'
import { NO_BAR, startProgress } from './terminal/interaction.ts'
import { parsedBy, withClientSettings } from './terminal/options.ts'
import { isStandardOutput, writeFile } from './terminal/output-file.ts'
import { grouped, plural, printLines, printNote, writeAll } from './terminal/print.ts'
import { columnsFor, type TableLayout } from './terminal/table.ts'

export const parseCount = parsedBy(numberFrom(1, 999_999_999))

interface ListOptions {
  limit: number
  all: boolean
  json: boolean
}

interface Page {
  limit: number
  cursor: string | undefined
}

/** `filter`: the options that the caller adds to the command. */
interface Listed<Item, Filter> {
  noun: string
  read(client: PetstoreClient, filter: Filter, page: Page): Promise<{ items: Item[]; next: string | undefined }>
  head: readonly string[]
  /** Called before the first page of a table is printed. */
  prepare?(command: Command): Promise<void>
  cells(item: Item): readonly string[]
  /** The message for people if the list is empty. */
  none(filter: Filter): string
  examples: readonly string[]
}

export function withNewest(command: Command): Command {
  return command.option('--newest', 'show the newest first')
}

export function listCommand<Item extends object, Filter>(listed: Listed<Item, Filter>): Command {
  const { noun, read, head, prepare, cells, none, examples } = listed
  return withNewest(withClientSettings(new Command('list')))
    .description(`Show ${noun}s, oldest first.`)
    .addOption(new Option('--limit <number>', `number of ${noun}s`).default(20).argParser(parseCount).conflicts('all'))
    .option('--all', `show all ${noun}s`, false)
    .option('--json', 'print a JSON array, for programs', false)
    .addHelpText('after', exampleLines(examples))
    .allowExcessArguments()
    .action(async (options: Filter & ListOptions, self: Command) => {
      if (self.args.length > 0) {
        const words = JSON.stringify(self.args.join(' '))
        throw new FlagError(`list takes no arguments. To search, use petstore ${noun}s list --search ${words}.`)
      }
      const client = createClient(self)
      const max = options.all ? Number.POSITIVE_INFINITY : options.limit
      let [shown, cursor]: [number, string | undefined] = [0, undefined]
      async function* pages(): AsyncGenerator<Item[]> {
        do {
          const page = await read(client, options, { limit: Math.min(max - shown, PAGE_MAX), cursor })
          shown += page.items.length
          cursor = page.next
          yield page.items
        } while (cursor !== undefined && shown < max)
      }
      if (options.json) return writeAll(stringifyJsonArray(flatten(pages())))
      let columns: TableLayout | undefined
      for await (const items of pages()) {
        if (!columns) await prepare?.(self)
        if (shown === 0) continue
        const [isFirst, rows] = [columns === undefined, items.map(cells)]
        // The first page determines the columns.
        columns ??= columnsFor(head, rows)
        await printLines(...(isFirst ? [columns.head] : []), ...rows.map(columns.line))
      }
      if (shown === 0) printNote(none(options))
      if (cursor !== undefined) printNote(`These are the first ${shown}. More: --limit NUMBER, or --all.`)
    })
}

function exampleLines(examples: readonly string[]): string {
  return ['', 'Examples:', ...examples.map((example) => `  petstore ${example}`)].join('\n')
}

async function* flatten<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of pages) yield* items
}

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

export function exportCommand<Item extends object, Filter, Row extends object = Item>(
  exported: Exported<Item, Filter, Row>,
): Command {
  const { noun, columns, list, rows, count: countAll, note, examples } = exported
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
${exampleLines(examples)}`,
    )
    .action(async (file = '-', options: FormatOptions & Filter, self: Command) => {
      const toFile = !isStandardOutput(file)
      if (!options.format && WORKBOOK_NAME.test(file))
        throw new FileError('To export to Excel, write a .csv with --excel.')
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
