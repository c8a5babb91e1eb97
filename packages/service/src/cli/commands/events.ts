// `petstore events …`: what has happened in the store of a running service, and what happens.

import { Command, Option } from 'commander'
import {
  type Event,
  type EventFilter,
  type FollowOptions,
  type PetstoreClient,
  toJson,
} from '../../../../client/src/petstore.ts'
import { document } from '../../../../contract/src/contract.ts'
import { instantFromText } from '../../../../contract/src/date-time.ts'
import { type EventType, PAGE_MAX } from '../../../../contract/src/generated.ts'
import { messageOf } from '../../terminal/exit-codes.ts'
import { parsedBy, parseInt64, withClientSettings, withFrom } from '../../terminal/options.ts'
import { type Line, printLines, printNote, write } from '../../terminal/print.ts'
import { statusLine } from '../../terminal/table.ts'
import { createClient } from '../client.ts'
import { parseCount } from '../lists.ts'
import { forwardCommand, secretCommand } from './events-forward.ts'
import { newEpochCommand } from './events-new-epoch.ts'

interface EventsOptions {
  follow: boolean
  from?: string
  pet?: bigint
  order?: bigint
  type?: EventType[]
  to?: string
  newest: boolean
  limit?: number
  json: boolean
}

const TYPES = document.components.schemas.EventType?.['x-extensible-enum'] ?? []

export function eventsCommand(): Command {
  return withFrom(withClientSettings(new Command('events')))
    .description('Show what has happened in the store of a running service, oldest first.')
    .option('--follow', 'go on with what happens, until Ctrl-C', false)
    .option('--pet <id>', 'only the events of this pet', parseInt64)
    .option('--order <id>', 'only the events of this order', parseInt64)
    .addOption(new Option('--type <type...>', 'only events of these types').choices(TYPES))
    .addOption(new Option('--to <time>', 'end before this time').argParser(parsedBy(parseTime)).conflicts('follow'))
    .addOption(new Option('--newest', 'begin with the newest').default(false).conflicts('follow'))
    .option('--limit <number>', 'the most events to show', parseCount)
    .option('--json', 'print a JSON object a line, for programs', false)
    .addHelpText(
      'after',
      `
Examples:
  petstore events --newest --limit 20
  petstore events --pet 42
  petstore events --follow --from now
  petstore events --from 2026-11-21T00:00:00Z --json | jq .type`,
    )
    .enablePositionalOptions()
    .action(async ({ follow, from, pet, order, type, to, newest, limit, json }: EventsOptions, self: Command) => {
      const client = createClient(self, {
        onRetry: (reason) => follow && printNote(`petstore: ${messageOf(reason)} Trying again.`),
      })
      const filter = { from, petId: pet, orderId: order, type }
      const all = { ...filter, to, sort: newest ? ('newest' as const) : undefined }
      let shown = 0
      for await (const event of follow
        ? following(client, filter)
        : upToNow(client, all, Math.min(limit ?? PAGE_MAX, PAGE_MAX))) {
        await (json ? write(`${toJson(event)}\n`) : printLines(lineOf(event)))
        if (++shown === limit) break
      }
      if (shown === 0 && !json) printNote('There are no such events.')
    })
    .addCommand(forwardCommand())
    .addCommand(secretCommand())
    .addCommand(newEpochCommand())
}

async function* following(client: PetstoreClient, filter: FollowOptions): AsyncGenerator<Event> {
  for await (const { event } of client.followEvents(filter)) yield event
}

/** `limit` is of each page. */
async function* upToNow(client: PetstoreClient, filter: EventFilter, limit: number): AsyncGenerator<Event> {
  let page = await client.listEvents({ ...filter, limit })
  // Pages that go back end at `from`; others only begin there.
  const rest = { ...filter, from: filter.sort === 'newest' ? filter.from : undefined, limit }
  for (; page.events.length > 0; page = await client.listEvents({ ...rest, cursor: page.next })) {
    yield* page.events
  }
}

function parseTime(text: string): string {
  if (instantFromText(text) !== undefined) return text
  throw new Error('must be a date and time with an offset, such as 2026-11-21T18:00:00Z')
}

function lineOf({ at, type, petId, petStatus, pet, orderId, terms, by }: Event): Line {
  const facts = [
    ...(pet ? [` (${pet.name})`] : ['']),
    ...(orderId === undefined ? [] : [`order ${orderId}`]),
    ...(terms?.reference === undefined ? [] : [`for ${terms.reference}`]),
    ...(terms?.expiresAt === undefined ? [] : [`until ${inSeconds(terms.expiresAt)}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
  ]
  const before = `${inSeconds(at)}  ${type.padEnd('order.completed'.length)}  pet ${petId}`
  return statusLine(petStatus ? `${before} ` : before, petStatus ?? '', facts.join(', '))
}

function inSeconds(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')}Z`
}
