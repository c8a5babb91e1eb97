// The list commands of pets and orders, which print page by page.

import { Command, Option } from 'commander'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { PAGE_MAX } from '../../contract/src/generated.ts'
import { stringifyJsonArray } from '../../files/src/json.ts'
import { numberFrom } from '../../service/src/config/setting-parsers.ts'
import { createClient } from './client.ts'
import { parsedBy, withClientSettings } from './terminal/options.ts'
import { printLines, printNote, writeAll } from './terminal/print.ts'
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
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  petstore ${example}`).join('\n')}`)
    .action(async (options: Filter & ListOptions, self: Command) => {
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

async function* flatten<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of pages) yield* items
}
