// Resolves categories by name (`/names`) or id, and changes their names: `petstore categories …`.

import { Command, Option } from 'commander'
import { readNames, replaceNames, type StoreNames } from '../../client/src/names.ts'
import { PetstoreApiError } from '../../client/src/petstore.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { FlagError } from '../../service/src/config/read-config.ts'
import { type Category, Names } from '../../service/src/domain/names.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import { readCategories } from './category-file.ts'
import { clientOptions } from './client.ts'
import { parseInt64, withClientSettings } from './terminal/options.ts'
import { plainFetch } from './terminal/plain-fetch.ts'
import { plural, print, printLines, printNote } from './terminal/print.ts'
import { table } from './terminal/table.ts'

const TIMEOUT_MS = 5_000
/** How many names an error lists. */
const OFFERED_MAX = 10

/** Adds `--category`. The command's action gets the id even if the user gave a name. */
export function withCategory(command: Command, description: string, mandatory = false): Command {
  const option = new Option('--category <category>', `${description}: its id or its name`)
  return command
    .addOption(option.argParser((text) => (isId(text) ? parseInt64(text) : text)).makeOptionMandatory(mandatory))
    .hook('preAction', async (_parent, self) => {
      const { category } = self.opts()
      if (typeof category === 'string') self.setOptionValue('category', idOf(await namesFor(self), category))
    })
}

/** Numbers are ids, because no name is a number. */
const isId = (text: string) => /^[+-]?[0-9]+$/.test(text)

/** Throws FlagError. */
function idOf(names: Names, name: string): bigint {
  const id = names.idOf(name)
  if (id !== undefined) return id
  const offered = names.categories.slice(0, OFFERED_MAX).map((category) => JSON.stringify(category.name))
  if (names.categories.length > OFFERED_MAX) offered.push('…')
  const others = offered.length > 0 ? `The names are ${offered.join(', ')}.` : 'The service has no names: use an id.'
  throw new FlagError(`No category has the name ${JSON.stringify(name)}. ${others}`)
}

/** Rejects as client calls do, and with KeyError. */
export async function namesFor(command: Command, options: NameOptions = {}): Promise<Names> {
  const { store = '', categories } = (await readNames(...serviceFor(command, options))) ?? {}
  return new Names(store, categories)
}

interface NameOptions {
  retries?: number | undefined
  timeoutMs?: number | undefined
}

function serviceFor(command: Command, { retries = 2, timeoutMs = TIMEOUT_MS }: NameOptions = {}) {
  const { baseUrl, apiKey } = clientOptions(command)
  const options = { fetch: plainFetch, timeoutMs, retries, signal: AbortSignal.any([]) }
  return [baseUrl.replace(/\/v1$/, ''), apiKey, options] as const
}

/**
 * Replaces the names with what `change` makes of them, and resolves with the result. Tries again if another client
 * changed the names in the meantime; does nothing if `change` returns `undefined`.
 */
async function changeNames(
  command: Command,
  change: (names: StoreNames) => readonly Category[] | undefined,
  options?: NameOptions,
): Promise<Names> {
  const [address, apiKey, request] = serviceFor(command, options)
  for (;;) {
    const before = await readNames(address, apiKey, request)
    if (!before) throw new StartError(`The service at ${address} has no names, or its proxy does not forward /names.`)
    const categories = change(before)
    if (!categories) return new Names(before.store, before.categories)
    try {
      const { store, categories: after } = await replaceNames(address, apiKey, categories, before.tag, request)
      return new Names(store, after)
    } catch (error) {
      if (!(error instanceof PetstoreApiError && error.code === 'precondition_failed')) throw error
    }
  }
}

/** Gives names to the categories, unless some have names, a file has them, or the service cannot have names. */
export async function nameIfNone(command: Command, wanted: readonly Category[]): Promise<void> {
  const { categories, nextId } = (await readNames(...serviceFor(command))) ?? {}
  if (categories?.length === 0 && nextId !== undefined) await changeNames(command, () => wanted)
}

/** Adds a category, unless there is one with this name. Its id is one that no name and no pet has. */
export function addCategory(command: Command, name: string, options: NameOptions): Promise<Names> {
  return changeNames(
    command,
    ({ store, categories = [], nextId }) => {
      if (new Names(store, categories).idOf(name) !== undefined) return undefined
      if (nextId === undefined)
        throw new StartError(
          `Category ${JSON.stringify(name)} cannot be added: a file has the names, or no id is left.`,
        )
      return [...categories, { id: nextId, name: name.trim() }]
    },
    options,
  )
}

export function categoriesCommand(): Command {
  return withClientSettings(new Command('categories'))
    .description('Show the names of categories, or replace them.')
    .option('--json', 'print a JSON array, for programs', false)
    .addHelpText('after', '\nExamples:\n  petstore categories\n  petstore categories set categories.csv')
    .enablePositionalOptions()
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const { categories } = await namesFor(self)
      if (json) await print(`${stringifyJson(categories)}\n`)
      else if (categories.length === 0) printNote('No category has a name.')
      else
        await printLines(
          ...table(
            ['ID', 'NAME'],
            categories.map(({ id, name }) => [String(id), name]),
          ),
        )
    })
    .addCommand(
      withClientSettings(new Command('set'))
        .description('Replace the names of all categories.')
        .argument('<file>', 'CSV with the columns id and name; - is standard input')
        .addHelpText('after', '\nExample:\n  petstore categories set categories.csv')
        .action(async (file: string, _options: object, self: Command) => {
          const categories = await readCategories(file, file)
          await changeNames(self, () => categories)
          printNote(`The store has ${plural(categories.length, 'name')} of categories now.`)
        }),
    )
}

/** For output that is still useful without names. */
export function namesIfThere(command: Command, timeoutMs?: number): Promise<Names> {
  return namesFor(command, { retries: 0, timeoutMs }).catch(() => new Names(''))
}
