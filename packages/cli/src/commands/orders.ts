// `petstore orders …` works on the orders of a running service.

import { Command, Option } from 'commander'
import type { NewOrder, Order, OrderFilter, OrderStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import { instantFromText } from '../../../contract/src/date-time.ts'
import { ORDER_STATUSES, type Sort } from '../../../contract/src/generated.ts'
import { stringifyJson } from '../../../contract/src/json.ts'
import { parseDuration } from '../../../service/src/config/setting-parsers.ts'
import type { RequestedTransition } from '../../../service/src/domain/order-transitions.ts'
import { createClient, serviceNow } from '../client.ts'
import { type ListOptions, showList, withListOptions, withNewest } from '../lists.ts'
import {
  type EveryField,
  int64Argument,
  parsedBy,
  parseInt64,
  refuseWithoutSeconds,
  withClientSettings,
} from '../terminal/options.ts'
import { type Line, printLines, printNote, write } from '../terminal/print.ts'
import { fields, table, time } from '../terminal/table.ts'
import { type Expiry, updateOrderCommand } from './corrections.ts'
import { exportCommand } from './export.ts'

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

interface Filter {
  status?: OrderStatus
  pet?: bigint
  search?: string
  newest?: boolean
}

/** By the order's new status. */
const CHANGES: Record<RequestedTransition, () => Command> = {
  completed: () =>
    orderCommand('complete', 'Sell the pet of a pending order.', (client, id) => client.completeOrder(id), {
      said: printSold,
    }),
  cancelled: () =>
    orderCommand('cancel', 'Cancel a pending order. Its pet becomes available.', async (client, id) => {
      await client.cancelOrder(id)
      return client.getOrder(id)
    }),
  returned: () =>
    orderCommand('return', 'Take back the pet of a completed order. It becomes available.', (client, id) =>
      client.returnOrder(id),
    ),
}

export function ordersCommand(): Command {
  const orders = new Command('orders')
    .description('Place, list, change, complete, cancel, return and export the orders of a running service.')
    .addCommand(placeCommand())
    .addCommand(listCommand())
    .addCommand(orderCommand('show', 'Show one order.', (client, id) => client.getOrder(id), { lines: details }))
    .addCommand(updateOrderCommand((order, json) => printOrder(order, json), parsedBy(parseExpiry), endOf))
  for (const command of Object.values(CHANGES)) orders.addCommand(command())
  const exported = exportCommand<Order, Filter>({
    noun: 'order',
    columns: COLUMNS,
    list: (client, filter) => client.listOrders(orderFilter(filter)),
    examples: ['orders export orders.csv', 'orders export --format ndjson --status completed | gzip > sold.gz'],
  })
  return orders.addCommand(withNewest(withFilter(exported)))
}

export function printSold({ petId, petName }: Order): void {
  printNote(`Sold pet ${petId} (${petName}).`)
}

export function withReference(command: Command): Command {
  return command.option('--reference <text>', 'text to find the order by, such as a receipt, a till or a customer')
}

function placeCommand(): Command {
  return withReference(withClientSettings(new Command('place')))
    .description('Reserve an available pet.')
    .addArgument(int64Argument('<pet>', "the pet's id"))
    .option(
      '--expires <when>',
      'the end of the reservation: 30m, 24h, 7d from now, or a time such as 2026-11-24T18:00:00Z (default: none)',
      parsedBy(parseExpiry),
    )
    .option('--json', 'print the order as JSON, for programs', false)
    .addHelpText(
      'after',
      `
Examples:
  petstore orders place 42 --reference 'till 3' --expires 30m
  petstore orders place 42 --expires 24h --json`,
    )
    .action(async (petId: bigint, { reference, expires, json }, self: Command) => {
      const placed = { petId, reference, expiresAt: await endOf(self, expires) } satisfies EveryField<NewOrder>
      await printOrder(await createClient(self).placeOrder(placed as NewOrder), json)
    })
}

function listCommand(): Command {
  return withFilter(withListOptions(new Command('list'), 'orders'))
    .description('Show orders, oldest first.')
    .addHelpText(
      'after',
      '\nExamples:\n  petstore orders list --search anna --newest\n  petstore orders list --status pending\n  petstore orders list --pet 42 --all --json',
    )
    .action(async (options: Filter & ListOptions, self: Command) => {
      const client = createClient(self)
      const { status, pet, search } = options
      await showList<Order>(options, {
        async read(page) {
          const { orders, next } = await client.listOrderPage({ ...orderFilter(options), ...page })
          return { items: orders, next }
        },
        head: HEAD,
        cells,
        none: () => (search === undefined ? noneOf(status, pet) : `No such order contains ${JSON.stringify(search)}.`),
      })
    })
}

/** A command for one order, which prints the result of `act`. */
function orderCommand(
  name: string,
  description: string,
  act: (client: PetstoreClient, id: bigint) => Promise<Order>,
  { lines, said }: { lines?: (order: Order) => Line[]; said?: (order: Order) => void } = {},
): Command {
  return withClientSettings(new Command(name))
    .description(description)
    .addArgument(int64Argument('<order>', "the order's id"))
    .option('--json', 'print the order as JSON, for programs', false)
    .addHelpText('after', `\nExample:\n  petstore orders ${name} 7`)
    .action(async (id: bigint, { json }: { json: boolean }, self: Command) => {
      const order = await act(createClient(self), id)
      await printOrder(order, json, lines)
      if (!json) said?.(order)
    })
}

function withFilter(command: Command): Command {
  return command
    .addOption(orderStatusOption())
    .option('--pet <id>', 'only orders of this pet', parseInt64)
    .option('--search <words>', "only orders whose reference or pet's name has words that begin with these")
}

/** Accepts `sold` for `completed`. */
function orderStatusOption(): Option {
  const option = new Option('--status <status>', 'only orders with this status').choices(ORDER_STATUSES)
  const { parseArg } = option
  return option.argParser((status, before) => parseArg?.(status === 'sold' ? 'completed' : status, before))
}

function orderFilter({ status, pet, search, newest }: Filter): Omit<OrderFilter, 'limit'> {
  const sort: Sort | undefined = newest ? 'newest' : undefined
  return { status, petId: pet, search, sort } satisfies EveryField<Omit<OrderFilter, 'limit'>>
}

function noneOf(status: OrderStatus | undefined, pet: bigint | undefined): string {
  if (pet !== undefined) return status ? `Pet ${pet} has no order that is ${status}.` : `Pet ${pet} has no orders.`
  return status ? `No order is ${status}.` : 'There are no orders yet.'
}

export async function printOrder(order: Order, json: boolean, lines = (shown: Order) => table(HEAD, [cells(shown)])) {
  await (json ? write(`${stringifyJson(order)}\n`) : printLines(...lines(order)))
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
  return fields(COLUMNS.map((column) => [LABELS[column], String(order[column] ?? '')]))
}

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
