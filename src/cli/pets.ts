// `petstore pets …`: the animals of a running service, for people and for programs.

import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { stringifyJson } from '../client/json.ts'
import type { Pet, PetStatus, PetstoreClient } from '../client/petstore.ts'
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
    .description('List, add, fetch, import and export animals.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(getCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
}

function listCommand(): Command {
  return withConnection(new Command('list'))
    .description('Show animals, oldest first.')
    .addOption(statusOption('only those of this status'))
    .addOption(new Option('--limit <number>', 'how many at most').default(20).argParser(parseCount).conflicts('all'))
    .option('--all', 'all of them', false)
    .option('--json', 'print a JSON array, for programs', false)
    .addHelpText('after', '\nExamples:\n  petstore pets list --status sold\n  petstore pets list --all --json')
    .action(async ({ status, limit, all, json }, self: Command) => {
      const most: number = all ? Number.POSITIVE_INFINITY : limit
      await listPets(createClient(self), status, most, json)
    })
}

async function listPets(
  client: PetstoreClient,
  status: PetStatus | undefined,
  most: number,
  json: boolean,
): Promise<void> {
  let [shown, cursor]: [number, string | undefined] = [0, undefined]
  async function* pages(): AsyncGenerator<Pet[]> {
    do {
      const page = await client.listPage({ status, limit: Math.min(most - shown, PAGE_MAX), cursor })
      shown += page.pets.length
      cursor = page.next
      yield page.pets
    } while (cursor !== undefined && shown < most)
  }
  if (json) return writeAll(formats.json.write(flat(pages())))
  for await (const pets of pages()) await write(listing(pets, shown === pets.length))
  if (shown === 0) process.stderr.write(status ? `No animal is ${status}.\n` : 'There are no animals yet.\n')
  if (cursor !== undefined) process.stderr.write(`These are the first ${shown}. More: --limit NUMBER, or --all.\n`)
}

async function* flat(pages: AsyncIterable<Pet[]>): AsyncGenerator<Pet> {
  for await (const pets of pages) yield* pets
}

function addCommand(): Command {
  return withConnection(new Command('add'))
    .description('Add an animal.')
    .argument('<name>', "the animal's name")
    .requiredOption('--category <id>', 'the id of its category', parseInt64)
    .addOption(statusOption('its status (default: available)'))
    .option('--json', 'print it as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets add Rex --category 7')
    .action(async (name: string, { category, status, json }, self: Command) => {
      await show(await createClient(self).createPet({ name, categoryId: category, status }), json)
    })
}

function getCommand(): Command {
  return withConnection(new Command('get'))
    .description('Fetch one animal. Deprecated, as the operation behind it is.')
    .addArgument(new Argument('<id>', 'its id').argParser(parseInt64))
    .option('--json', 'print it as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets get 42 --json')
    .action(async (id: bigint, { json }, self: Command) => {
      await show(await createClient(self).getPet(id), json)
    })
}

async function show(pet: Pet, json: boolean): Promise<void> {
  await write(json ? `${stringifyJson(pet)}\n` : listing([pet], true))
}

function listing(pets: readonly Pet[], withHead: boolean): string {
  if (pets.length === 0) return ''
  const rows = pets.map(({ id, name, categoryId, status }) => [String(id), printable(name), String(categoryId), status])
  const text = table(['ID', 'NAME', 'CATEGORY', 'STATUS'], rows)
  return withHead ? text : text.slice(text.indexOf('\n') + 1)
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Give a number from 1, or --all.')
  return Number(text)
}

function parseInt64(text: string): bigint {
  if (!/^-?[0-9]{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw new InvalidArgumentError('Give an integer of 64 bits, in decimal digits.')
  }
  return BigInt(text)
}
