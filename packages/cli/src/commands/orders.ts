// `petstore orders …` and `petstore sell` work on the orders of a running service.

import { Command } from 'commander'
import {
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderFilter,
  type OrderStatus,
  PetstoreApiError,
  type PetstoreClient,
} from '../../../client/src/petstore.ts'
import { instantFromText } from '../../../contract/src/date-time.ts'
import { ORDER_STATUSES, type Sort } from '../../../contract/src/generated.ts'
import { stringifyJson } from '../../../contract/src/json.ts'
import { parseDuration } from '../../../service/src/config/setting-parsers.ts'
import type { RequestedTransition } from '../../../service/src/domain/order-transitions.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { createClient, serviceNow } from '../client.ts'
import { exportCommand, listCommand, withNewest } from '../lists.ts'
import {
  type EveryField,
  givenFields,
  int64Argument,
  parsedBy,
  parseInt64,
  refuseWithoutSeconds,
  repeated,
  statusOption,
  withClientSettings,
} from '../terminal/options.ts'
import { type Line, print, printLines, printNote } from '../terminal/print.ts'
import { exactTime, fields, table, time } from '../terminal/table.ts'

/** The order of fields in `orders show` and of columns in CSV. */
const LABELS = {
  id: 'ORDER',
  petId: 'PET',
  petName: 'NAME',
  status: 'STATUS',
  placedAt: 'PLACED',
  changedAt: 'CHANGED',
  expiresAt: 'EXPIRES',
  reference: 'REFERENCE',
} as const satisfies Record<keyof Order, string>
const COLUMNS = Object.keys(LABELS) as (keyof typeof LABELS)[]

const HEAD = ['ID', 'PET', 'NAME', 'STATUS', 'SINCE', 'UNTIL', 'REFERENCE']

/** How long a pet is reserved while it is sold. */
const SALE_MS = 10 * 60_000

interface Filter {
  status?: OrderStatus
  pet?: bigint[]
  search?: string
  newest?: boolean
}

/** By the order's new status. */
const CHANGES: Record<RequestedTransition, () => Command> = {
  completed: () =>
    orderCommand('complete', 'Sell the pet of a pending order.', {
      act: (id, self) => createClient(self).completeOrder(id),
      said: printSold,
    }),
  cancelled: () =>
    orderCommand('cancel', 'Cancel a pending order. Its pet becomes available.', {
      async act(id, self) {
        const client = createClient(self)
        await client.cancelOrder(id)
        return client.getOrder(id)
      },
    }),
  returned: () =>
    orderCommand('return', 'Take back the pet of a completed order. It becomes available.', {
      act: (id, self) => createClient(self).returnOrder(id),
    }),
}

export function ordersCommand(): Command {
  const orders = new Command('orders')
    .description('Place, list, change, complete, cancel, return and export the orders of a running service.')
    .addCommand(placeCommand())
    .addCommand(listOrdersCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
  for (const command of Object.values(CHANGES)) orders.addCommand(command())
  const exported = exportCommand<Order, Filter>({
    noun: 'order',
    columns: COLUMNS,
    list: (client, filter) => client.listOrders(orderFilter(filter)),
    examples: ['orders export orders.csv', 'orders export --format ndjson --status completed | gzip > sold.gz'],
  })
  return orders.addCommand(withNewest(withFilter(exported)))
}

function printSold({ petId, petName }: Order): void {
  printNote(`Sold pet ${petId} (${petName}).`)
}

function withReference(command: Command): Command {
  return command.option('--reference <text>', 'text to find the order by, such as a receipt, a till or a customer')
}

function showCommand(): Command {
  return orderCommand('show', 'Show one order.', { act: (id, self) => createClient(self).getOrder(id), lines: details })
}

function placeCommand(): Command {
  return orderCommand('place', 'Reserve an available pet.', {
    on: ['<pet>', "the pet's id"],
    flags: (command) =>
      withReference(command).option(
        '--expires <when>',
        'the end of the reservation: 30m, 24h, 7d from now, or a time such as 2026-11-24T18:00:00Z (default: none)',
        parsedBy(parseExpiry),
      ),
    help: `
Examples:
  petstore orders place 42 --reference 'till 3' --expires 30m
  petstore orders place 42 --expires 24h --json`,
    async act(petId, self, { reference, expires }) {
      const placed = { petId, reference, expiresAt: await endOf(self, expires) } satisfies EveryField<NewOrder>
      return createClient(self).placeOrder(placed as NewOrder)
    },
  })
}

function listOrdersCommand(): Command {
  const command = listCommand<Order, Filter>({
    noun: 'order',
    async read(client, filter, page) {
      const { orders, next } = await client.listOrderPage({ ...orderFilter(filter), ...page })
      return { items: orders, next }
    },
    head: HEAD,
    cells,
    none({ status, pet, search }) {
      if (search !== undefined) return `No such order contains ${JSON.stringify(search)}.`
      if (pet === undefined) return status ? `No order is ${status}.` : 'There are no orders yet.'
      const what = pet.length === 1 ? `Pet ${pet[0]} has` : 'These pets have'
      return `${what} no ${status ? `order that is ${status}` : 'orders'}.`
    },
    examples: [
      'orders list --search anna --newest',
      'orders list --status pending',
      'orders list --pet 42 --all --json',
    ],
  })
  return withFilter(command)
}

function updateCommand(): Command {
  return orderCommand('update', 'Change a pending order: extend a reservation, or correct its reference.', {
    flags: (command) =>
      command.option('--reference <text>', 'the new reference, or none to remove it').option(
        '--expires <when>',
        'the new end of the reservation: 2h, 7d from now, a time such as 2026-11-24T18:00:00Z, or none to remove it',
        parsedBy((text) => (text === NONE ? NONE : parseExpiry(text))),
      ),
    help: '\nExample:\n  petstore orders update 7 --expires 2h',
    async act(id, self, { reference, expires }) {
      const expiresAt = orNull(await endOf(self, expires))
      const fields = { reference: orNull(reference), expiresAt } satisfies EveryField<OrderChange>
      return createClient(self).updateOrder(id, givenFields<OrderChange>(fields, '--reference or --expires'))
    },
  })
}

/** Removes the value. A parser cannot return null, because commander turns it into an empty text. */
const NONE = 'none'

function orNull(text: string | undefined): string | null | undefined {
  return text === NONE ? null : text
}

interface Options {
  json: boolean
  reference?: string
  expires?: Expiry
}

interface OrderCommand {
  /** The argument, an id. Default: the order's. */
  on?: readonly [name: string, description: string]
  flags?: (command: Command) => Command
  help?: string
  act(id: bigint, self: Command, options: Options): Promise<Order>
  lines?: (order: Order) => Line[]
  said?: (order: Order) => void
}

/** A command for one order, which prints the result of `act`. */
function orderCommand(name: string, description: string, order: OrderCommand): Command {
  const { on = ['<order>', "the order's id"], flags, help, act, lines, said } = order
  const command = withClientSettings(new Command(name))
    .description(description)
    .addArgument(int64Argument(...on))
  flags?.(command)
  return command
    .option('--json', 'print the order as JSON, for programs', false)
    .addHelpText('after', help ?? `\nExample:\n  petstore orders ${name} 7`)
    .action(async (id: bigint, options: Options, self: Command) => {
      const order = await act(id, self, options)
      await printOrder(order, options.json, lines)
      if (!options.json) said?.(order)
    })
}

function withFilter(command: Command): Command {
  return command
    .addOption(statusOption('only orders with this status', ORDER_STATUSES))
    .option('--pet <id>', 'only orders of this pet; can be repeated', repeated(parseInt64))
    .option('--search <words>', "only orders whose reference or pet's name has words that begin with these")
}

function orderFilter({ status, pet, search, newest }: Filter): Omit<OrderFilter, 'limit'> {
  const sort: Sort | undefined = newest ? 'newest' : undefined
  // Services before 2.0.0 know only `petId`.
  const [petId, petIds] = pet?.length === 1 ? [pet[0], undefined] : [undefined, pet]
  return { status, petId, petIds, search, sort } satisfies EveryField<Omit<OrderFilter, 'limit'>>
}

async function printOrder(order: Order, json: boolean, lines = (shown: Order) => table(HEAD, [cells(shown)])) {
  await (json ? print(`${stringifyJson(order)}\n`) : printLines(...lines(order)))
}

function cells({ id, petId, petName, status, changedAt, expiresAt, reference = '' }: Order): string[] {
  return [
    String(id),
    String(petId),
    petName,
    status,
    time(Date.parse(changedAt)),
    status === 'pending' && expiresAt !== undefined ? time(Date.parse(expiresAt)) : '',
    reference,
  ]
}

function details(order: Order): Line[] {
  const text = (column: keyof typeof LABELS) => String(order[column] ?? '')
  return fields(
    COLUMNS.map((column) => [LABELS[column], column.endsWith('At') ? exactTime(text(column)) : text(column)]),
  )
}

/** A time, or milliseconds from now. */
type Expiry = string | number

function parseExpiry(text: string): Expiry {
  if (instantFromText(text) !== undefined) return text
  refuseWithoutSeconds(text)
  try {
    return parseDuration(text)
  } catch {
    throw new Error('must be a duration such as 30m, 24h or 7d, or a time with an offset, such as 2026-11-24T18:00:00Z')
  }
}

/** A duration starts now, by the service's clock. */
async function endOf(command: Command, expiry: Expiry | undefined): Promise<string | undefined> {
  return typeof expiry === 'number' ? new Date((await serviceNow(command)) + expiry).toISOString() : expiry
}

/** Places an order that expires if the command cannot complete it. */
export function sellCommand(): Command {
  return orderCommand('sell', 'Sell an available pet: place an order and complete it.', {
    on: ['<pet>', "the pet's id"],
    flags: withReference,
    help: `
If the sale cannot be completed, the pet is reserved for at most 10 minutes. To
sell a pet that is reserved, complete its order: petstore orders complete ORDER.

Example:
  petstore sell 42 --reference 'receipt 4711'`,
    async act(petId, self, { reference }) {
      const client = createClient(self)
      const order = { petId, reference, expiresAt: new Date((await serviceNow(self)) + SALE_MS).toISOString() }
      const placed = await client
        .placeOrder(order as NewOrder)
        .catch((error) => refuse(error, client, order as NewOrder))
      return client.completeOrder(placed.id).catch((error) => giveUp(error, client, placed))
    },
    said: printSold,
  })
}

/** Shows the order that holds the pet, or the command that shows whether the order was placed. */
async function refuse(error: unknown, client: PetstoreClient, { petId, expiresAt: end }: NewOrder): Promise<never> {
  if (!isRefused(error)) {
    printNote(
      `Pet ${petId} may be reserved until ${exactTime(end)}. To see its order, run petstore orders list --pet ${petId} --newest.`,
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
  const until = expiresAt === undefined ? '' : ` until ${exactTime(expiresAt)}`
  throw new StartError(
    `Pet ${petId} is reserved${customer}${until} by order ${id}. To sell it to that customer, run petstore orders complete ${id}.`,
    { cause: error },
  )
}

/** Releases the pet, unless it may be sold. */
async function giveUp(error: unknown, client: PetstoreClient, { id, petId, expiresAt }: Order): Promise<never> {
  if (!isRefused(error)) {
    printNote(
      `Pet ${petId} may have been sold with order ${id}. To make sure, run petstore orders complete ${id} before ${exactTime(expiresAt)}.`,
    )
    throw error
  }
  await client.cancelOrder(id).catch(() => {
    printNote(
      `Order ${id} may hold pet ${petId} until ${exactTime(expiresAt)}. To release it, run petstore orders cancel ${id}.`,
    )
  })
  throw error
}

/** Returns whether the service certainly did not carry out the request. */
function isRefused(error: unknown): boolean {
  return error instanceof PetstoreApiError && error.status >= 400 && error.status < 500 && error.status !== 408
}
