// `petstore pets update`, `pets delete` and `orders update`: commands that correct pets and orders.

import { Command, Option } from 'commander'
import type { Order, OrderChange, Pet, PetChange } from '../../../client/src/petstore.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { withCategory } from '../categories.ts'
import { createClient } from '../client.ts'
import { type EveryField, int64Argument, withClientSettings } from '../terminal/options.ts'
import { printNote } from '../terminal/print.ts'
import { confirm } from '../terminal/prompt.ts'

/** A time, or milliseconds from now. */
export type Expiry = string | number

/** Prints the changed pet or order, for people or as JSON. */
type Print<Item> = (item: Item, json: boolean, command: Command) => Promise<void>

export function updatePetCommand(print: Print<Pet>): Command {
  const command = withClientSettings(new Command('update'))
    .description('Correct a pet.')
    .addArgument(int64Argument('<id>', 'its id'))
    .option('--name <name>', 'its new name')
  return withCategory(command, 'its new category')
    .addOption(new Option('--status <status>', 'free a pet added as pending or sold by mistake').choices(['available']))
    .option('--json', 'print the pet as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore pets update 42 --name Rex')
    .action(async (id: bigint, { name, category, status, json }, self: Command) => {
      const change = { name, categoryId: category, status } satisfies EveryField<PetChange>
      await print(await createClient(self).updatePet(id, given(change, '--name, --category or --status')), json, self)
    })
}

export function deletePetCommand(): Command {
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

export function updateOrderCommand(
  print: Print<Order>,
  parseExpiry: (text: string) => Expiry,
  endOf: (command: Command, expiry: Expiry | undefined) => Promise<string | undefined>,
): Command {
  return withClientSettings(new Command('update'))
    .description('Change a pending order: extend a reservation, or correct its reference.')
    .addArgument(int64Argument('<order>', "the order's id"))
    .option('--reference <text>', 'the new reference, or none to remove it')
    .option(
      '--expires <when>',
      'the new end of the reservation: 2h, 7d from now, a time such as 2026-11-24T18:00:00Z, or none to remove it',
      (text) => (text === NONE ? NONE : parseExpiry(text)),
    )
    .option('--json', 'print the order as JSON, for programs', false)
    .addHelpText('after', '\nExample:\n  petstore orders update 7 --expires 2h')
    .action(async (id: bigint, { reference, expires, json }, self: Command) => {
      const expiresAt = orNull(await endOf(self, expires))
      const change = { reference: orNull(reference), expiresAt } satisfies EveryField<OrderChange>
      await print(await createClient(self).updateOrder(id, given(change, '--reference or --expires')), json, self)
    })
}

/** Removes the value. A parser cannot return null, because commander turns it into an empty text. */
const NONE = 'none'

function orNull(text: string | undefined): string | null | undefined {
  return text === NONE ? null : text
}

/** Removes undefined fields. Throws StartError if none is left. */
function given<Change extends object>(change: { [Field in keyof Change]: Change[Field] | undefined }, flags: string) {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  if (fields.length === 0) throw new StartError(`Nothing to change. Use ${flags}.`)
  return Object.fromEntries(fields) as Change
}
