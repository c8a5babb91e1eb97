// `petstore events …`: what has happened in the store of a running service, and what happens.

import { Command } from 'commander'
import { type Event, type EventFilter, type PetstoreClient, toJson } from '../../client/petstore.ts'
import { PAGE_MAX } from '../../contract/generated.ts'
import { createClient } from '../client.ts'
import { messageOf } from '../exit-codes.ts'
import { parseInt64, withClientSettings } from '../options.ts'
import { say, tell, write } from '../print.ts'
import { forwardCommand } from './forward.ts'
import { withFrom } from './from.ts'
import { newEpochCommand } from './new-epoch.ts'
import { secretCommand } from './secret.ts'

interface EventsOptions {
  follow: boolean
  from?: string
  pet?: bigint
  order?: bigint
  json: boolean
}

export function eventsCommand(): Command {
  return withFrom(withClientSettings(new Command('events')))
    .description('Show what has happened in the store of a running service, oldest first.')
    .option('--follow', 'go on with what happens, until Ctrl-C', false)
    .option('--pet <id>', 'only the events of this pet', parseInt64)
    .option('--order <id>', 'only the events of this order', parseInt64)
    .option('--json', 'print a JSON object a line, for programs', false)
    .addHelpText(
      'after',
      `
Examples:
  petstore events --pet 42
  petstore events --follow --from now
  petstore events --from 2026-11-21T00:00:00Z --json | jq .type`,
    )
    .enablePositionalOptions()
    .action(async ({ follow, from, pet, order, json }: EventsOptions, self: Command) => {
      const client = createClient(self, {
        onRetry: (reason) => follow && tell(`petstore: ${messageOf(reason)} Trying again.`),
      })
      const filter = { from, petId: pet, orderId: order }
      for await (const event of follow ? following(client, filter) : upToNow(client, filter)) {
        await (json ? write(`${toJson(event)}\n`) : say(lineOf(event)))
      }
    })
    .addCommand(forwardCommand())
    .addCommand(secretCommand())
    .addCommand(newEpochCommand())
}

async function* following(client: PetstoreClient, filter: EventFilter): AsyncGenerator<Event> {
  for await (const { event } of client.followEvents(filter)) yield event
}

async function* upToNow(client: PetstoreClient, { from, ...filter }: EventFilter): AsyncGenerator<Event> {
  let page = await client.listEvents({ ...filter, from, limit: PAGE_MAX })
  for (; page.events.length > 0; page = await client.listEvents({ ...filter, cursor: page.next, limit: PAGE_MAX })) {
    yield* page.events
  }
}

function lineOf({ at, type, petId, petStatus, pet, orderId, by }: Event): string {
  const time = `${at.slice(0, 19).replace('T', ' ')}Z`
  const facts = [
    `pet ${petId}${petStatus ? ` ${petStatus}` : ''}${pet ? ` (${pet.name})` : ''}`,
    ...(orderId === undefined ? [] : [`order ${orderId}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
  ]
  return `${time}  ${type.padEnd('order.completed'.length)}  ${facts.join(', ')}`
}
