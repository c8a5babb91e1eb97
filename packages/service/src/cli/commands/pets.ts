// `petstore pets …`: the pets of a running service, for people and for programs.

import { Command } from 'commander'
import type { NewPet, Pet, PetFilter, PetStatus } from '../../../../client/src/petstore.ts'
import type { Sort } from '../../../../contract/src/generated.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { createClient } from '../client.ts'
import { type ListOptions, showList, withListOptions, withNewest } from '../lists.ts'
import { int64Argument, parseInt64, type Stated, statusOption, withClientSettings } from '../options.ts'
import { printLines, write } from '../print.ts'
import { table } from '../table.ts'
import { deletePetCommand, updatePetCommand } from './corrections.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'

const HEADINGS: Record<keyof Pet, string> = { id: 'ID', name: 'NAME', categoryId: 'CATEGORY', status: 'STATUS' }
const HEAD = Object.values(HEADINGS)
const FIELDS = Object.keys(HEADINGS) as (keyof Pet)[]

interface Filter {
  status?: PetStatus
  category?: bigint
  search?: string
  newest?: boolean
}

function withPetFilter(command: Command): Command {
  return command
    .addOption(statusOption('only pets with this status'))
    .option('--category <id>', 'only pets of this category', parseInt64)
    .option('--search <words>', 'only pets whose name has words that begin with these')
}

function petFilter({ status, category, search, newest }: Filter): Omit<PetFilter, 'limit'> {
  const sort: Sort | undefined = newest ? 'newest' : undefined
  return { status, categoryId: category, search, sort } satisfies Stated<Omit<PetFilter, 'limit'>>
}

export function petsCommand(): Command {
  return new Command('pets')
    .description('List, add, show, correct, delete, import and export the pets of a running service.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(showCommand())
    .addCommand(updatePetCommand(print))
    .addCommand(deletePetCommand())
    .addCommand(importCommand())
    .addCommand(exportPetsCommand())
}

function exportPetsCommand(): Command {
  const command = exportCommand<Pet, Filter>({
    noun: 'pet',
    columns: FIELDS,
    list: (client, filter) => client.listPets(petFilter(filter)),
    async count(client, { status, category, search }) {
      if (category !== undefined || search !== undefined) return undefined
      const { available, pending, sold } = await client.getInventory()
      return status ? { available, pending, sold }[status] : available + pending + sold
    },
    examples: ['pets export pets.csv', 'pets export --format ndjson --status sold | gzip > sold.ndjson.gz'],
  })
  return withNewest(withPetFilter(command)).addHelpText('after', '\nTheir orders: petstore orders export.')
}

function listCommand(): Command {
  return withPetFilter(withListOptions(new Command('list'), 'pets'))
    .description('Show pets, oldest first.')
    .addHelpText(
      'after',
      '\nExamples:\n  petstore pets list --search "old bis"\n  petstore pets list --status sold --newest\n  petstore pets list --all --json',
    )
    .action(async (options: Filter & ListOptions, self: Command) => {
      const client = createClient(self)
      const { status, category, search } = options
      await showList<Pet>(options, {
        async read(page) {
          const { pets, next } = await client.listPage({ ...petFilter(options), ...page })
          return { items: pets, next }
        },
        head: HEAD,
        cells,
        none:
          search === undefined ? noneOf(status, category) : `No such pet has ${JSON.stringify(search)} in its name.`,
      })
    })
}

function noneOf(status: PetStatus | undefined, category: bigint | undefined): string {
  if (category === undefined) return status ? `No pet is ${status}.` : 'There are no pets yet.'
  return `No pet of category ${category}${status ? ` is ${status}` : ' is there'}.`
}

function addCommand(): Command {
  return withClientSettings(new Command('add'))
    .description('Add a pet.')
    .argument('<name>', "the pet's name")
    .requiredOption('--category <id>', 'the id of its category', parseInt64)
    .addOption(statusOption('its status (default: available)'))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets add Rex --category 7')
    .action(async (name: string, { category, status, json }, self: Command) => {
      const pet = { name, categoryId: category, status } satisfies Stated<NewPet>
      await print(await createClient(self).createPet(pet), json)
    })
}

function showCommand(): Command {
  return withClientSettings(new Command('show'))
    .alias('get')
    .description('Show one pet, until the service removes the deprecated operation that it calls.')
    .addArgument(int64Argument('<id>', 'its id'))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets show 42 --json')
    .action(async (id: bigint, { json }, self: Command) => {
      await print(await createClient(self).getPet(id), json)
    })
}

async function print(pet: Pet, json: boolean): Promise<void> {
  await (json ? write(`${stringifyJson(pet)}\n`) : printLines(...table(HEAD, [cells(pet)])))
}

function cells(pet: Pet): string[] {
  return FIELDS.map((field) => String(pet[field] ?? ''))
}
