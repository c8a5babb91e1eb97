// The flags of list commands, and printing page by page.

import { type Command, Option } from 'commander'
import { PAGE_MAX } from '../../contract/src/generated.ts'
import { stringifyJsonArray } from '../../files/src/json.ts'
import { numberFrom } from '../../service/src/config/setting-parsers.ts'
import { parsedBy, withClientSettings } from './terminal/options.ts'
import { printLines, printNote, writeAll } from './terminal/print.ts'
import { type Columns, columnsFor } from './terminal/table.ts'

export const parseCount = parsedBy(numberFrom(1, 999_999_999))

export interface ListOptions {
  limit: number
  all: boolean
  json: boolean
}

export interface PrintedList<Item> {
  read(page: { limit: number; cursor: string | undefined }): Promise<{ items: Item[]; next: string | undefined }>
  head: readonly string[]
  cells(item: Item): readonly string[]
  /** The message for people if the list is empty. */
  none: () => string
}

export function withNewest(command: Command): Command {
  return command.option('--newest', 'show the newest first')
}

/** `noun` in the plural. */
export function withListOptions(command: Command, noun: string): Command {
  return withNewest(withClientSettings(command))
    .addOption(new Option('--limit <number>', `number of ${noun}`).default(20).argParser(parseCount).conflicts('all'))
    .option('--all', `show all ${noun}`, false)
    .option('--json', 'print a JSON array, for programs', false)
}

export async function showList<Item extends object>(
  { limit, all, json }: ListOptions,
  { read, head, cells, none }: PrintedList<Item>,
): Promise<void> {
  const max = all ? Number.POSITIVE_INFINITY : limit
  let [shown, cursor]: [number, string | undefined] = [0, undefined]
  async function* pages(): AsyncGenerator<Item[]> {
    do {
      const { items, next }: Awaited<ReturnType<typeof read>> = await read({
        limit: Math.min(max - shown, PAGE_MAX),
        cursor,
      })
      shown += items.length
      cursor = next
      yield items
    } while (cursor !== undefined && shown < max)
  }
  if (json) return writeAll(stringifyJsonArray(flatten(pages())))
  let columns: Columns | undefined
  for await (const items of pages()) {
    if (shown === 0) continue
    const [first, rows] = [columns === undefined, items.map(cells)]
    // The first page determines the columns.
    columns ??= columnsFor(head, rows)
    await printLines(...(first ? [columns.head] : []), ...rows.map(columns.line))
  }
  if (shown === 0) printNote(none())
  if (cursor !== undefined) printNote(`These are the first ${shown}. More: --limit NUMBER, or --all.`)
}

async function* flatten<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of pages) yield* items
}
