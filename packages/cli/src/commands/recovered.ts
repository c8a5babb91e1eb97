// `petstore recovered` makes a store safe after its database was moved back by other means than `petstore restore`,
// which includes it. Clients may know ids, cursors and keys from after that state; these must not be mistaken for new
// ones.

import { Command, Option } from 'commander'
import { numberFrom } from '../../../service/src/config/setting-parsers.ts'
import type { ApiKey } from '../../../service/src/domain/keys.ts'
import { type FoundContents, kindOf } from '../../../service/src/store/kinds.ts'
import { confirm } from '../terminal/interaction.ts'
import { configOf, parsedBy, repeated, withSettings } from '../terminal/options.ts'
import { grouped, type Line, plural, print, printLines } from '../terminal/print.ts'
import { requireStore } from '../with-store.ts'
import { activeKeys, findKeys, keyJson, keyListing } from './keys.ts'

/** Even after many recoveries, ids stay exact in clients with 53-bit numbers. */
const parseSkipIds = numberFrom(0, 1_000_000_000)

export interface SkipIds {
  skipIds: bigint
}

interface Options extends SkipIds {
  revoke?: string[]
  revokeAll: boolean
  yes: boolean
  json: boolean
}

export function recoveredCommand(): Command {
  const command = new Command('recovered')
    .description('Make a store safe to serve after its database was set back to an earlier state.')
    .addOption(skipIdsOption())
    .option('--revoke <key>', 'revoke the active keys with this id or name (repeatable)', repeated(String))
    .option('--revoke-all', 'revoke all active keys; create new ones afterwards', false)
    .option('--yes', 'do not ask', false)
    .option('--json', 'print JSON, for programs', false)
    .addHelpText(
      'after',
      `
Use it after pg_restore, a point-in-time recovery, a copied file, a snapshot or
Litestream. Stop the services first. PostgreSQL needs the owner of the tables.
The command does all of this, or nothing:

  it skips ids of keys, pets, orders and events, so that none is used twice;
  it starts a new epoch of the event feed, so readers have to start over;
  it counts the inventory again;
  it shows the pets, the orders and the last event that it found, so that you
  can compare them with the state that you expect;
  it lists active keys: a key that was revoked since then works again.

petstore restore includes this.

Example:
  petstore recovered --revoke 'till 3'`,
    )
  return withSettings(command, 'database').action(async (options: Options, self: Command) => {
    const { database } = configOf(self)
    requireStore(database)
    const kind = kindOf(database)
    const { skipIds, revoke = [], revokeAll, json } = options
    let revoked: ApiKey[] = []
    let found: object = {}
    await kind.recover(database, {
      skipIds,
      revoke: async (keys, contents) => {
        revoked = revokeAll ? activeKeys(keys) : [...new Set(revoke.flatMap((which) => findKeys(keys, which)))]
        found = { ...contentsJson(contents), activeKeys: activeKeys(keys).map(keyJson) }
        if (!json) await printLines(contentsSentence(contents), ...activeKeysListing(keys))
        if (!options.yes) await confirmRecovery(kind.describe(database), skipIds, revoked)
        return revoked.map(({ id }) => id)
      },
    })
    if (json) {
      const revokedKeys = revoked.map(({ id }) => Number(id))
      return print(`${JSON.stringify({ ...found, skippedIds: Number(skipIds), revokedKeys }, null, 2)}\n`)
    }
    await printLines(skippedIdsSentence(skipIds), ...revoked.map(({ id, name }) => `Key ${id} (${name}) is revoked.`))
  })
}

function contentsSentence({ pets, orders, last }: FoundContents): string {
  const event = last ? `the last event is ${last.id}, of ${isoTime(last)}` : 'there are no events'
  return `Found ${plural(Number(pets), 'pet')} and ${plural(Number(orders), 'order')}; ${event}.`
}

function contentsJson({ pets, orders, last }: FoundContents) {
  const lastEvent = last ? { id: Number(last.id), at: isoTime(last) } : null
  return { pets: Number(pets), orders: Number(orders), lastEvent }
}

const isoTime = ({ at }: { at: bigint }) => new Date(Number(at)).toISOString()

export function skipIdsOption(): Option {
  return new Option('--skip-ids <number>', 'how many ids of each kind to skip')
    .argParser(parsedBy((text) => BigInt(parseSkipIds(text))))
    .default(1_000_000n, '1000000')
}

/** Describes the skipped ids and the new epoch. */
export function skippedIdsSentence(skipIds: bigint): string {
  const epoch = 'A new epoch of events has begun: event readers have to start over.'
  return skipIds === 0n ? epoch : `${epoch} ${grouped(skipIds)} ids of keys, pets, orders and events were skipped.`
}

/** Lists the active keys, and what to look for among them. */
export function activeKeysListing(keys: readonly ApiKey[]): Line[] {
  const active = activeKeys(keys)
  if (active.length === 0) return ['There are no active keys.']
  return ['Active keys. Revoke any key here that you revoked before: it works again.', ...keyListing(active)]
}

async function confirmRecovery(store: string, skipIds: bigint, revoked: readonly ApiKey[]): Promise<void> {
  const also = revoked.length === 0 ? 'revoke no key' : `revoke ${plural(revoked.length, 'key')}`
  await confirm(`Start a new epoch of events, skip ${grouped(skipIds)} ids and ${also} in ${store}?`, {
    stopped: 'Nothing was changed.',
    unattended: 'Nothing was changed. To continue without confirmation, use petstore recovered --yes.',
  })
}
