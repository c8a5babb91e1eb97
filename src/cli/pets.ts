// `petstore pets …`: the pets of a running service, for people and for programs.

import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { Pet, PetStatus, PetstoreClient } from '../client/petstore.ts'
import { stringifyJson } from '../json/json.ts'
import { createClient } from './client.ts'
import { exportCommand } from './export.ts'
import { formats } from './formats/formats.ts'
import { importCommand } from './import.ts'
import { statusOption, withConnection } from './options.ts'
import { printable, write, writeAll } from './output.ts'
import { table } from './table.ts'

const PAGE_MAX = 100

export function petsCommand(): Command {
  return new Command('pets')
    .description('List, add, fetch, import and export the pets of a running service.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(getCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
}

function listCommand(): Command {
  return withConnection(new Command('list'))
    .description('Show pets, oldest first.')
    .addOption(statusOption('only pets with this status'))
    .addOption(
      new Option('--limit <number>', 'the most pets to show').default(20).argParser(parseCount).conflicts('all'),
    )
    .option('--all', 'show all pets', false)
    .option('--json', 'print a JSON array, for programs', false)
    .addHelpText('after', '\nExamples:\n  petstore pets list --status sold\n  petstore pets list --all --json')
    .action(async ({ status, limit, all, json }, self: Command) => {
      const max: number = all ? Number.POSITIVE_INFINITY : limit
      await listPets(createClient(self), status, max, json)
    })
}

async function listPets(
  client: PetstoreClient,
  status: PetStatus | undefined,
  max: number,
  json: boolean,
): Promise<void> {
  let [shown, cursor]: [number, string | undefined] = [0, undefined]
  async function* pages(): AsyncGenerator<Pet[]> {
    do {
      const page = await client.listPage({ status, limit: Math.min(max - shown, PAGE_MAX), cursor })
      shown += page.pets.length
      cursor = page.next
      yield page.pets
    } while (cursor !== undefined && shown < max)
  }
  if (json) return writeAll(formats.json.write(flatten(pages())))
  for await (const pets of pages()) await write(listing(pets, shown === pets.length))
  if (shown === 0) process.stderr.write(status ? `No pet is ${status}.\n` : 'There are no pets yet.\n')
  if (cursor !== undefined) process.stderr.write(`These are the first ${shown}. More: --limit NUMBER, or --all.\n`)
}

async function* flatten(pages: AsyncIterable<Pet[]>): AsyncGenerator<Pet> {
  for await (const pets of pages) yield* pets
}

function addCommand(): Command {
  return withConnection(new Command('add'))
    .description('Add a pet.')
    .argument('<name>', "the pet's name")
    .requiredOption('--category <id>', 'the id of its category', parseInt64)
    .addOption(statusOption('its status (default: available)'))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets add Rex --category 7')
    .action(async (name: string, { category, status, json }, self: Command) => {
      await show(await createClient(self).createPet({ name, categoryId: category, status }), json)
    })
}

function getCommand(): Command {
  return withConnection(new Command('get'))
    .description('Show one pet. Deprecated, because the operation that it calls is.')
    .addArgument(new Argument('<id>', 'its id').argParser(parseInt64))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets get 42 --json')
    .action(async (id: bigint, { json }, self: Command) => {
      await show(await createClient(self).getPet(id), json)
    })
}

async function show(pet: Pet, json: boolean): Promise<void> {
  await write(json ? `${stringifyJson(pet)}\n` : listing([pet], true))
}

function listing(pets: readonly Pet[], withHeader: boolean): string {
  if (pets.length === 0) return ''
  const rows = pets.map(({ id, name, categoryId, status }) => [String(id), printable(name), String(categoryId), status])
  const text = table(['ID', 'NAME', 'CATEGORY', 'STATUS'], rows)
  return withHeader ? text : text.slice(text.indexOf('\n') + 1)
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a number from 1 to 999999999. To show all pets, use --all.')
  return Number(text)
}

function parseInt64(text: string): bigint {
  if (!/^-?[0-9]{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new InvalidArgumentError('It must be a 64-bit integer in decimal digits.')
  }
  return BigInt(text)
}
