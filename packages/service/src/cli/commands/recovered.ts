// `petstore recovered`: after a database was brought back to an earlier state by other means than `petstore restore`, which does the same by
// itself. Ids, places in the feed and keys that others know from the time in between are not taken for what is there now.

import { Command, Option } from 'commander'
import { numberFrom } from '../../config/setting-parsers.ts'
import type { ApiKey } from '../../domain/keys.ts'
import { kindOf } from '../../store/kinds.ts'
import { configOf, parsedBy, withSettings } from '../../terminal/options.ts'
import { grouped, type Line, plural, printLines } from '../../terminal/print.ts'
import { confirm } from '../../terminal/prompt.ts'
import { activeKeys, findKeys, listing } from '../key-list.ts'
import { requireStore } from '../with-store.ts'

/** Many times that, and ids are still exact in clients with numbers of 53 bits. */
const parseSkipIds = numberFrom(0, 1_000_000_000)

export interface SkipIds {
  skipIds: bigint
}

interface Options extends SkipIds {
  revoke?: string[]
  revokeAll: boolean
  yes: boolean
}

export function recoveredCommand(): Command {
  const command = new Command('recovered')
    .description('Make a store safe to serve again after its database was brought back to an earlier state.')
    .addOption(skipIdsOption())
    .option('--revoke <key>', 'revoke the keys in force with this id or name (repeatable)', collect)
    .option('--revoke-all', 'revoke all keys in force; create new ones afterwards', false)
    .option('--yes', 'do not ask', false)
    .addHelpText(
      'after',
      `
Whatever brought it back: pg_restore, a point-in-time recovery, a copied file, a
snapshot, Litestream. Stop the services first. On PostgreSQL it needs the owner
of the tables. Others still know what happened since that state, so it

  leaves out ids of keys, pets, orders and events: none is given a second time;
  begins a new epoch of the feed: readers of events begin again;
  lists the keys in force: those that were revoked since are in force again.

It does all of it, or nothing. petstore restore does the same by itself.

Example:
  petstore recovered --revoke 'till 3'`,
    )
  return withSettings(command, 'database').action(async (options: Options, self: Command) => {
    const { database } = configOf(self)
    requireStore(database)
    const kind = kindOf(database)
    let revoked: ApiKey[] = []
    await kind.recover(database, {
      skipIds: options.skipIds,
      revoke: async (keys) => {
        revoked = toRevoke(keys, options)
        await printLines(...activeKeysListing(keys))
        if (!options.yes) await confirmRecovery(kind.describe(database), options.skipIds, revoked)
        return revoked.map(({ id }) => id)
      },
    })
    await printLines(
      skippedIdsSentence(options.skipIds),
      ...revoked.map(({ id, name }) => `Key ${id} (${name}) is revoked.`),
    )
  })
}

export function skipIdsOption(): Option {
  return new Option('--skip-ids <number>', 'how many ids of each kind are left out')
    .argParser(parsedBy((text) => BigInt(parseSkipIds(text))))
    .default(1_000_000n, '1000000')
}

/** What was done, in a sentence. */
export function skippedIdsSentence(skipIds: bigint): string {
  const epoch = 'A new epoch of events has begun: their readers begin again.'
  return skipIds === 0n ? epoch : `${epoch} ${left(skipIds)} of keys, pets, orders and events are left out.`
}

/** The keys in force, and what to look for among them. */
export function activeKeysListing(keys: readonly ApiKey[]): Line[] {
  const active = activeKeys(keys)
  if (active.length === 0) return ['No key is in force.']
  return ['Keys in force, among them any that were revoked since:', ...listing(active)]
}

/** Throws PetstoreError where a key that is named is not in force. */
function toRevoke(keys: readonly ApiKey[], { revoke = [], revokeAll }: Options): ApiKey[] {
  return revokeAll ? activeKeys(keys) : [...new Set(revoke.flatMap((which) => findKeys(keys, which)))]
}

async function confirmRecovery(store: string, skipIds: bigint, revoked: readonly ApiKey[]): Promise<void> {
  const also = revoked.length === 0 ? 'revoke no key' : `revoke ${plural(revoked.length, 'key')}`
  await confirm(`Begin a new epoch of events, leave out ${left(skipIds)} and ${also} in ${store}?`, {
    stopped: 'Nothing was changed.',
    unattended: 'Nothing was changed. To do it without the question, use petstore recovered --yes.',
  })
}

function collect(key: string, keys: string[] = []): string[] {
  return [...keys, key]
}

function left(skipIds: bigint): string {
  return `${grouped(skipIds)} ids`
}
