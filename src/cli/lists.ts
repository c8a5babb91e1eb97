// What the commands that list have in common: their flags, and how they print page after page.

import { type Command, Option } from 'commander'
import { PAGE_MAX, type Sort } from '../contract/generated.ts'
import { stringifyJsonArray } from './formats/json.ts'
import { parsedBy, withClientSettings } from './options.ts'
import { type Line, say, tell, writeAll } from './print.ts'

export interface ListOptions {
  limit: number
  all: boolean
  json: boolean
  newest?: boolean
}

export interface List<Item> {
  read(page: {
    limit: number
    cursor: string | undefined
    sort: Sort | undefined
  }): Promise<{ items: Item[]; next: string | undefined }>
  /** The first line is the head. */
  table(items: readonly Item[]): Line[]
  /** For people, when there is nothing to show. */
  none: string
}

/** `noun` in the plural. */
export function withListOptions(command: Command, noun: string): Command {
  return withClientSettings(command)
    .addOption(
      new Option('--limit <number>', `the most ${noun} to show`)
        .default(20)
        .argParser(parsedBy(parseCount))
        .conflicts('all'),
    )
    .option('--all', `show all ${noun}`, false)
    .option('--newest', 'begin with what was added last')
    .option('--json', 'print a JSON array, for programs', false)
}

export async function showList<Item extends object>(
  { limit, all, json, newest }: ListOptions,
  { read, table, none }: List<Item>,
): Promise<void> {
  const max = all ? Number.POSITIVE_INFINITY : limit
  let [shown, cursor]: [number, string | undefined] = [0, undefined]
  async function* pages(): AsyncGenerator<Item[]> {
    do {
      const { items, next }: Awaited<ReturnType<typeof read>> = await read({
        limit: Math.min(max - shown, PAGE_MAX),
        cursor,
        sort: newest ? 'newest' : undefined,
      })
      shown += items.length
      cursor = next
      yield items
    } while (cursor !== undefined && shown < max)
  }
  if (json) return writeAll(stringifyJsonArray(flatten(pages())))
  for await (const items of pages()) {
    const first = shown === items.length
    const lines = items.length === 0 ? [] : table(items)
    await say(...(first ? lines : lines.slice(1)))
  }
  if (shown === 0) tell(none)
  if (cursor !== undefined) tell(`These are the first ${shown}. More: --limit NUMBER, or --all.`)
}

async function* flatten<Item>(pages: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of pages) yield* items
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Error('must be a number from 1 to 999999999. To show all, use --all')
  return Number(text)
}
