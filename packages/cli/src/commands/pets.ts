// `petstore pets …`, `petstore inventory` and `petstore demo` work on the pets of a running service.

import { Command, Option } from 'commander'
import type { NewPet, Pet, PetChange, PetFilter, PetStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import { addSamples, sampleCategories, samplePets } from '../../../client/src/samples.ts'
import type { Sort } from '../../../contract/src/generated.ts'
import { stringifyJson } from '../../../contract/src/json.ts'
import type { Names } from '../../../service/src/domain/names.ts'
import { nameIfNone, namesIfThere, withCategory } from '../categories.ts'
import { createClient } from '../client.ts'
import { exportCommand, listCommand, withNewest } from '../lists.ts'
import { Interrupted } from '../terminal/exit-codes.ts'
import { confirm, startProgress } from '../terminal/interaction.ts'
import { type EveryField, givenFields, int64Argument, statusOption, withClientSettings } from '../terminal/options.ts'
import { grouped, plural, print, printLines, printNote } from '../terminal/print.ts'
import { table } from '../terminal/table.ts'
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

function withFilter(command: Command): Command {
  const withStatus = command.addOption(statusOption('only pets with this status'))
  return withCategory(withStatus, 'only pets of this category').option(
    '--search <words>',
    'only pets whose name has words that begin with these',
  )
}

function petFilter({ status, category, search, newest }: Filter): Omit<PetFilter, 'limit'> {
  const sort: Sort | undefined = newest ? 'newest' : undefined
  return { status, categoryId: category, search, sort } satisfies EveryField<Omit<PetFilter, 'limit'>>
}

export function petsCommand(): Command {
  return new Command('pets')
    .description('List, add, show, correct, delete, import and export the pets of a running service.')
    .addCommand(listPetsCommand())
    .addCommand(addCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand())
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
  return withNewest(withFilter(command)).addHelpText('after', '\nTo export orders, use petstore orders export.')
}

function listPetsCommand(): Command {
  let names: Names | undefined
  const command = listCommand<Pet, Filter>({
    noun: 'pet',
    async read(client, filter, page) {
      const { pets, next } = await client.listPage({ ...petFilter(filter), ...page })
      return { items: pets, next }
    },
    head: HEAD,
    async prepare(self) {
      names = await namesIfThere(self)
    },
    cells: (pet) => cells(pet, names),
    none({ status, category, search }) {
      if (search !== undefined) return `No such pet's name contains ${JSON.stringify(search)}.`
      if (category === undefined) return status ? `No pet is ${status}.` : 'There are no pets yet.'
      const name = names?.nameOf(category)
      return status ? `No pet of category ${name} is ${status}.` : `Category ${name} has no pets.`
    },
    examples: ['pets list --search "old bis"', 'pets list --status sold --newest', 'pets list --all --json'],
  })
  return withFilter(command)
}

function addCommand(): Command {
  return withCategory(withClientSettings(new Command('add')), 'its category', true)
    .description('Add a pet.')
    .argument('<name>', "the pet's name")
    .addOption(statusOption('its status (default: available)'))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExamples:\n  petstore pets add Rex --category 7\n  petstore pets add Rex --category Dogs')
    .action(async (name: string, { category, status, json }, self: Command) => {
      const pet = { name, categoryId: category, status } satisfies EveryField<NewPet>
      await printPet(await createClient(self).createPet(pet), json, self)
    })
}

function showCommand(): Command {
  return withClientSettings(new Command('show'))
    .alias('get')
    .description('Show one pet.')
    .addArgument(int64Argument('<id>', 'its id'))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets show 42 --json')
    .action(async (id: bigint, { json }, self: Command) => {
      await printPet(await createClient(self).getPet(id), json, self)
    })
}

function updateCommand(): Command {
  const command = withClientSettings(new Command('update'))
    .description('Correct a pet.')
    .addArgument(int64Argument('<id>', 'its id'))
    .option('--name <name>', 'its new name')
  return withCategory(command, 'its new category')
    .addOption(new Option('--status <status>', 'free a pet added as pending or sold by mistake').choices(['available']))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets update 42 --name Rex')
    .action(async (id: bigint, { name, category, status, json }, self: Command) => {
      const fields = { name, categoryId: category, status } satisfies EveryField<PetChange>
      const change = givenFields<PetChange>(fields, '--name, --category or --status')
      await printPet(await createClient(self).updatePet(id, change), json, self)
    })
}

function deleteCommand(): Command {
  return withClientSettings(new Command('delete'))
    .description('Delete a pet that was added by mistake and never ordered.')
    .addArgument(int64Argument('<id>', 'its id'))
    .option('--yes', 'do not ask', false)
    .addHelpText('after', '\nExample:\n  petstore pets delete 42')
    .action(async (id: bigint, { yes }: { yes: boolean }, self: Command) => {
      const client = createClient(self)
      const unattended = `To delete pet ${id} without confirmation, use petstore pets delete ${id} --yes.`
      if (!yes) await confirm(`Delete pet ${id}?`, { stopped: 'Nothing was deleted.', unattended })
      await client.deletePet(id)
      printNote(`Deleted pet ${id}.`)
    })
}

export function inventoryCommand(): Command {
  return withClientSettings(new Command('inventory'))
    .description('Show how many pets of a running service are available, pending and sold.')
    .option('--json', 'print JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore inventory')
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const inventory = await createClient(self).getInventory()
      const rows = Object.entries(inventory).map(([status, pets]) => [status, grouped(pets)])
      await (json ? print(`${stringifyJson(inventory)}\n`) : printLines(...table(['STATUS', 'PETS'], rows)))
    })
}

async function printPet(pet: Pet, json: boolean, command: Command): Promise<void> {
  if (json) return print(`${stringifyJson(pet)}\n`)
  await printLines(...table(HEAD, [cells(pet, await namesIfThere(command))]))
}

function cells(pet: Pet, names: Names | undefined): string[] {
  return FIELDS.map((field) => (field === 'categoryId' && names?.nameOf(pet[field])) || String(pet[field] ?? ''))
}

export function demoCommand(): Command {
  return withClientSettings(new Command('demo'))
    .description(`Add ${samplePets.length} sample pets and their orders to a service, to try things out.`)
    .option('--yes', 'do not ask if the service already has pets', false)
    .addHelpText('after', '\nExamples:\n  petstore demo\n  petstore serve --ephemeral --demo')
    .action(async ({ yes }: { yes: boolean }, self: Command) => {
      const client = createClient(self)
      if (!yes) await checkEmpty(client)
      await nameIfNone(self, sampleCategories)
      const progress = startProgress('Adding', samplePets.length)
      let added = 0
      const stopping = new AbortController()
      process.once('SIGINT', () => stopping.abort())
      try {
        for await (const _pet of addSamples(client, { until: stopping.signal }))
          progress.update(++added, plural(added, 'pet'))
      } finally {
        progress.stop()
        if (added > 0) printNote(`Added ${plural(added, 'sample pet')}. petstore pets list shows them.`)
      }
      if (added < samplePets.length) throw new Interrupted('Interrupted. Added pets remain.')
    })
}

/** Asks before adding samples to a store in use, because most pets cannot be removed. Throws StartError. */
async function checkEmpty(client: PetstoreClient): Promise<void> {
  const { pets } = await client.listPage({ limit: 1 })
  if (pets.length === 0) return
  await confirm(`The service already has pets. Add ${samplePets.length} sample pets?`, {
    stopped: 'Nothing was added.',
    unattended: 'The service already has pets. To add the sample pets anyway, use petstore demo --yes.',
  })
}
