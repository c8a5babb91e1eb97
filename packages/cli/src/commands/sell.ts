// `petstore sell` sells an available pet in one step, with an order that expires if the command cannot complete it.

import { Command } from 'commander'
import { type NewOrder, type Order, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { createClient, serviceNow } from '../client.ts'
import { int64Argument, withClientSettings } from '../terminal/options.ts'
import { printNote } from '../terminal/print.ts'
import { printOrder, printSold, withReference } from './orders.ts'

const HELD_MS = 10 * 60_000

export function sellCommand(): Command {
  return withReference(withClientSettings(new Command('sell')))
    .description('Sell an available pet: place an order and complete it.')
    .addArgument(int64Argument('<pet>', "the pet's id"))
    .option('--json', 'print the order as JSON, for programs', false)
    .addHelpText(
      'after',
      `
If the sale cannot be completed, the pet is reserved for at most 10 minutes. To
sell a pet that is reserved, complete its order: petstore orders complete ORDER.

Example:
  petstore sell 42 --reference 'receipt 4711'`,
    )
    .action(async (petId: bigint, { reference, json }, self: Command) => {
      const client = createClient(self)
      const order = { petId, reference, expiresAt: new Date((await serviceNow(self)) + HELD_MS).toISOString() }
      const placed = await client.placeOrder(order).catch((error) => refuse(error, client, order))
      const sold = await client.completeOrder(placed.id).catch((error) => giveUp(error, client, placed))
      await printOrder(sold, json)
      if (!json) printSold(sold)
    })
}

/** Names the order that holds the pet, or the command that shows whether the order was placed. */
async function refuse(error: unknown, client: PetstoreClient, { petId, expiresAt: end }: NewOrder): Promise<never> {
  if (!isRefused(error)) {
    printNote(
      `Pet ${petId} may be reserved until ${end}. To see its order, run petstore orders list --pet ${petId} --newest.`,
    )
  }
  if (!(error instanceof PetstoreApiError && error.code === 'pet_not_available')) throw error
  // The newest order is the holder, because a held pet cannot be ordered.
  const [holder] = (await client.listOrderPage({ petId, sort: 'newest', limit: 1 })).orders
  if (holder?.status === 'completed') {
    throw new StartError(`Pet ${petId} is sold (order ${holder.id}).`, { cause: error })
  }
  if (holder?.status !== 'pending') throw error
  const { id, reference, expiresAt } = holder
  const customer = reference === undefined ? '' : ` for ${JSON.stringify(reference)}`
  const until = expiresAt === undefined ? '' : ` until ${expiresAt}`
  throw new StartError(
    `Pet ${petId} is reserved${customer}${until} by order ${id}. To sell it to that customer, run petstore orders complete ${id}.`,
    { cause: error },
  )
}

/** Releases the pet, unless it may be sold. */
async function giveUp(error: unknown, client: PetstoreClient, { id, petId, expiresAt }: Order): Promise<never> {
  if (!isRefused(error)) {
    printNote(
      `Pet ${petId} may have been sold with order ${id}. To make sure, run petstore orders complete ${id} before ${expiresAt}.`,
    )
    throw error
  }
  await client.cancelOrder(id).catch(() => {
    printNote(`Order ${id} may hold pet ${petId} until ${expiresAt}. To release it, run petstore orders cancel ${id}.`)
  })
  throw error
}

/** Returns whether the service certainly did not carry out the request. */
function isRefused(error: unknown): boolean {
  return error instanceof PetstoreApiError && error.status >= 400 && error.status < 500 && error.status !== 408
}
