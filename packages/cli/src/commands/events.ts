// `petstore events …` shows, follows and exports the events of a running service.

import { Command, Option } from 'commander'
import { type Event, type EventFilter, type Order, type PetstoreClient, toJson } from '../../../client/src/petstore.ts'
import { document } from '../../../contract/src/contract.ts'
import { instantFromText } from '../../../contract/src/date-time.ts'
import { type EventType, PAGE_MAX } from '../../../contract/src/generated.ts'
import { type ClockAhead, ClockWatch, eventsFrom } from '../../../files/src/clock-ahead.ts'
import { EVENT_COLUMNS, type EventRow, eventRow } from '../../../files/src/event-rows.ts'
import { ASCENDS } from '../../../service/src/domain/lists.ts'
import { createClient } from '../client.ts'
import { exportCommand, parseCount } from '../lists.ts'
import { messageOf } from '../terminal/exit-codes.ts'
import { parseInt64, timeParser, withClientSettings, withFrom } from '../terminal/options.ts'
import { type Line, print, printLines, printNote } from '../terminal/print.ts'
import { fittedLine, time } from '../terminal/table.ts'
import { forwardCommand, secretCommand } from './events-forward.ts'

interface Filter {
  from?: string
  pet?: bigint
  order?: bigint
  type?: EventType[]
  to?: string
  newest: boolean
}

/** How many orders an export reads concurrently. */
const ORDERS_AT_ONCE = 32
const TYPES = document.components.schemas.EventType?.['x-extensible-enum'] ?? []

export function eventsCommand(): Command {
  return withFilter(withClientSettings(new Command('events')))
    .description('Show the events of a running service, oldest first.')
    .addOption(new Option('--follow', 'show new events, until Ctrl-C').default(false).conflicts(['to', 'newest']))
    .option('--limit <number>', 'the most events to show', parseCount)
    .option('--json', 'print one JSON object per line, for programs', false)
    .addHelpText(
      'after',
      `
Examples:
  petstore events --newest --limit 20
  petstore events --pet 42
  petstore events --follow --from now
  petstore events --from yesterday --to today --type order.completed
  petstore events --from 2026-11-21T00:00:00Z --json | jq .type`,
    )
    .enablePositionalOptions()
    .action(async (given: Filter & { follow: boolean; limit?: number; json: boolean }, self: Command) => {
      const { follow, limit, json } = given
      const client = createClient(self, {
        onRetry: (reason) => follow && printNote(`petstore: ${messageOf(reason)} Trying again.`),
      })
      const pageSize = Math.min(limit ?? PAGE_MAX, PAGE_MAX)
      let shown = 0
      for await (const event of follow ? following(client, given) : upToNow(client, eventFilter(given), pageSize)) {
        await (json ? print(`${toJson(event)}\n`) : printLines(lineOf(event)))
        if (++shown === limit) break
      }
      if (shown === 0 && !json) printNote('There are no such events.')
    })
    .addCommand(eventsExportCommand())
    .addCommand(forwardCommand())
    .addCommand(secretCommand())
}

function withFilter(command: Command): Command {
  return withFrom(command)
    .option('--to <time>', 'end before this day or time', timeParser())
    .option('--pet <id>', 'only the events of this pet', parseInt64)
    .option('--order <id>', 'only the events of this order', parseInt64)
    .addOption(new Option('--type <type...>', 'only events of these types').choices(TYPES))
    .option('--newest', 'show the newest first', false)
}

function eventFilter({ from, pet, order, type, to, newest }: Filter) {
  const sort = newest ? ('newest' as const) : undefined
  return { from, petId: pet, orderId: order, type, to, sort } satisfies EventFilter
}

function eventsExportCommand(): Command {
  let ahead: ClockAhead | undefined
  const command = exportCommand<Event, Filter, EventRow>({
    noun: 'event',
    columns: EVENT_COLUMNS,
    async *list(client, filter) {
      const watch = new ClockWatch(filter.newest)
      for await (const event of upToNow(client, eventFilter(filter), PAGE_MAX)) {
        watch.see(event)
        yield event
      }
      ahead = watch.ahead ?? (await aheadAtEnds(client, filter))
    },
    note: (filter) => ahead && clockNote(ahead, filter),
    rows,
    examples: [
      'events export day.csv --excel --from yesterday --to today',
      'events export sales.csv --excel --type order.completed order.returned',
    ],
  })
  return withFilter(command)
}

/** Also finds a clock that was ahead if the export has only some of the events. */
async function aheadAtEnds(client: PetstoreClient, { from = '', to }: Filter): Promise<ClockAhead | undefined> {
  for (const end of [from, to]) {
    if (end === undefined || instantFromText(end) === undefined) continue
    const watch = new ClockWatch(false, end)
    for (const event of await eventsFrom(end, (filter) => client.listEvents(filter))) watch.see(event)
    if (watch.ahead) return watch.ahead
  }
}

function clockNote({ at, next }: ClockAhead, { to }: Filter): string {
  const what = `The clock of the service was ahead: an event has the time ${at}, and a later one ${next}.`
  if (to === undefined || Date.parse(to) > Date.parse(at)) return what
  return `${what} Events after the first one are missing here. To include them, leave out --to, or set it after ${at}.`
}

/** Adds the order to events of earlier versions, which lack the pet or the terms. */
async function* rows(client: PetstoreClient, events: AsyncIterable<Event>): AsyncGenerator<EventRow> {
  let some: Event[] = []
  async function* read() {
    const ids = new Set(
      some.flatMap(({ orderId, pet, terms }) => (orderId === undefined || (pet && terms) ? [] : [orderId])),
    )
    const orders = await Promise.all([...ids].map((id) => client.getOrder(id)))
    const byId = new Map<bigint | undefined, Order>(orders.map((order) => [order.id, order]))
    for (const event of some) yield eventRow(event, byId.get(event.orderId))
    some = []
  }
  for await (const event of events) if (some.push(event) === ORDERS_AT_ONCE) yield* read()
  yield* read()
}

async function* following(client: PetstoreClient, { from, pet, order, type }: Filter): AsyncGenerator<Event> {
  for await (const { event } of client.followEvents({ from, petId: pet, orderId: order, type })) yield event
}

/** `limit` is the page size. */
async function* upToNow(client: PetstoreClient, filter: EventFilter, limit: number): AsyncGenerator<Event> {
  let page = await client.listEvents({ ...filter, limit })
  // With newest first, pages end at `from`. Otherwise only the first page uses it.
  const rest = { ...filter, from: ASCENDS[filter.sort ?? 'oldest'] ? undefined : filter.from, limit }
  for (; page.events.length > 0; page = await client.listEvents({ ...rest, cursor: page.next })) {
    yield* page.events
  }
}

const timeOf = (at: string) => time(Date.parse(at), 'second')

function lineOf({ at, type, petId, petStatus, pet, orderId, orderStatus, terms, by }: Event): Line {
  const facts = [
    ...(pet ? [` (${pet.name})`] : ['']),
    ...(orderId === undefined ? [] : [`order ${orderId}`]),
    ...(terms?.reference === undefined ? [] : [`for ${terms.reference}`]),
    ...(terms?.expiresAt === undefined || orderStatus !== 'pending' ? [] : [`until ${timeOf(terms.expiresAt)}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
  ]
  const before = `${timeOf(at)}  ${type.padEnd('order.completed'.length)}  pet ${petId}${petStatus ? ' ' : ''}`
  return fittedLine(before, petStatus ?? '', facts.join(', '))
}
