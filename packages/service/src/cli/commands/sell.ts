// `petstore sell`: sells an available pet in one step, by an order that ends by itself if the command cannot complete it.

import { Command } from 'commander'
import { type Order, PetstoreApiError, type PetstoreClient } from '../../../../client/src/petstore.ts'
import { StartError } from '../../domain/start-error.ts'
import { wallMs } from '../../system/runtime.ts'
import { int64Argument, withClientSettings } from '../../terminal/options.ts'
import { printNote } from '../../terminal/print.ts'
import { createClient } from '../client.ts'
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
      const order = { petId, reference, expiresAt: new Date(wallMs() + HELD_MS).toISOString() }
      const placed = await client.placeOrder(order).catch((error) => refuse(error, client, petId))
      const sold = await client.completeOrder(placed.id).catch((error) => giveUp(error, client, placed))
      await printOrder(sold, json)
      if (!json) printSold(sold)
    })
}

/** Names the order that holds the pet. */
async function refuse(error: unknown, client: PetstoreClient, petId: bigint): Promise<never> {
  if (!(error instanceof PetstoreApiError && error.code === 'pet_not_available')) throw error
  // No order is placed while another holds the pet.
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
async function giveUp(error: unknown, client: PetstoreClient, { id, petId }: Order): Promise<never> {
  if (!isRefused(error)) {
    printNote(`It is not known whether pet ${petId} was sold. To find out, run petstore orders complete ${id}.`)
    throw error
  }
  try {
    await client.cancelOrder(id)
  } catch (failure) {
    if (!isRefused(failure)) printNote(`Order ${id} holds pet ${petId} for at most 10 minutes.`)
  }
  throw error
}

/** Whether the service has not done what it was asked for. */
function isRefused(error: unknown): boolean {
  return error instanceof PetstoreApiError && error.status >= 400 && error.status < 500 && error.status !== 408
}
