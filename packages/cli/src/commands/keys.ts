// `petstore keys …` creates, lists, revokes and rotates API keys in the store itself; running services notice the
// changes. Only keys go to stdout, so that they can be piped; messages go to stderr. `petstore deprecated` shows the
// keys that call deprecated operations.

import { Command } from 'commander'
import type { Config } from '../../../service/src/config/read-config.ts'
import { parseDuration, parsePeriod } from '../../../service/src/config/setting-parsers.ts'
import {
  type ApiKey,
  type Environment,
  generateKey,
  type KeyStore,
  keptOfKey,
  keyName,
  keyState,
  type NewKey,
} from '../../../service/src/domain/keys.ts'
import { PetstoreError } from '../../../service/src/domain/petstore-error.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { wallMs } from '../../../service/src/system/runtime.ts'
import { configOf, parsedBy, withSettings } from '../terminal/options.ts'
import { grouped, type Line, print, printLines, printNote, printOrFail } from '../terminal/print.ts'
import { table, time } from '../terminal/table.ts'
import { withStore } from '../with-store.ts'

const DAY_MS = 86_400_000

export function keysCommand(): Command {
  return new Command('keys')
    .description('Create, list, revoke and rotate API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateCommand())
    .addCommand(generateCommand())
}

function createCommand(): Command {
  return storeCommand('create', 'Create an API key and print it. It cannot be shown again.')
    .requiredOption('--name <name>', 'what the key is for; unique among active keys', parsedBy(keyName))
    .option('--read-only', 'the key can read, but not change anything', false)
    .option('--expires <duration>', 'how long the key works, such as 90d (default: forever)', parsedBy(parsePeriod))
    .addHelpText('after', "\nExample:\n  petstore keys create --name 'till 3' --expires 90d")
    .action(async ({ name, readOnly, expires }, self: Command) => {
      const config = configOf(self)
      const create = async (store: KeyStore) => {
        const keys = await store.listKeys()
        const [same] = named(activeKeys(keys), name)
        if (same) {
          const advice = 'Rotate or revoke it, or choose another name.'
          throw new StartError(`Key ${same.id} already has the name ${JSON.stringify(name)}. ${advice}`)
        }
        const expiresAt = expires === undefined ? undefined : wallMs() + expires
        const newestKnown = keys.at(-1)?.id ?? 0n
        await issue(store, config, { name, readOnly, expiresAt, newestKnown })
      }
      await withStore(config, create, ' To choose the first key of a new store, set PETSTORE_BOOTSTRAP_KEY.')
    })
}

function listCommand(): Command {
  return storeCommand('list', 'Show the API keys: the last characters, access, state, expiry and last use of each.')
    .option('--json', 'print JSON, for programs', false)
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const keys = await withStore(configOf(self), (store) => store.listKeys())
      await (json ? print(`${JSON.stringify(keys.map(keyJson), null, 2)}\n`) : printLines(...keyListing(keys)))
    })
}

function revokeCommand(): Command {
  return storeCommand('revoke', 'Revoke an API key. Every server refuses it within a second.')
    .argument('<key>', 'its id or name; after a rotation, the name means the old key')
    .action(async (which: string, _options, self: Command) => {
      await withStore(configOf(self), async (store) => {
        const key = findOldest(await store.listKeys(), which)
        await store.revokeKey(key.id)
        printNote(`Key ${key.id} (${key.name}) is revoked.`)
      })
    })
}

function rotateCommand(): Command {
  return storeCommand('rotate', 'Create an API key that replaces another. Both work for a while.')
    .argument('<key>', "the old key's id or name")
    .option('--overlap <duration>', 'how long the old key continues to work (default: 24h)', parsedBy(parseDuration))
    .option(
      '--expires <duration>',
      'how long the new key works (default: as long as the old one)',
      parsedBy(parsePeriod),
    )
    .addHelpText('after', "\nExample:\n  petstore keys rotate 'till 3' --overlap 24h")
    .action(async (which: string, { overlap = DAY_MS, expires }, self: Command) => {
      const config = configOf(self)
      await withStore(config, async (store) => {
        const keys = await store.listKeys()
        const old = findKeys(keys, which).at(-1) as ApiKey
        const now = wallMs()
        // A rotated key expires with its overlap, so the lifetime to copy is the lifetime of the newest key with this name.
        const { createdAt, expiresAt: end } = named(keys, old.name).findLast(({ id }) => id >= old.id) ?? old
        const life = expires ?? (end === undefined ? undefined : end - createdAt)
        const expiresAt = life === undefined ? undefined : now + life
        const { name, readOnly } = old
        const newestKnown = keys.at(-1)?.id
        await issue(store, config, { name, readOnly, expiresAt, newestKnown })
        // Last, so that the old key stays valid if the new one could not be shown.
        await store.endKey(old.id, now + overlap)
        printNote(`Key ${old.id} works until ${time(Math.min(now + overlap, old.expiresAt ?? now + overlap))}.`)
      })
    })
}

function generateCommand(): Command {
  return withSettings(new Command('generate'), 'environment')
    .description('Print a new API key for PETSTORE_BOOTSTRAP_KEY. It is not added to a store.')
    .action(async (_options, self: Command) => {
      await print(`${generateKey(configOf(self).environment)}\n`)
    })
}

export function deprecatedCommand(): Command {
  const command = new Command('deprecated')
    .description('Show which API keys called deprecated operations, how often, and when last.')
    .option('--json', 'print JSON, for programs', false)
  return withSettings(command, 'database').action(async ({ json }: { json: boolean }, self: Command) => {
    const rows = await withStore(configOf(self), async (store) => {
      const names = new Map((await store.listKeys()).map(({ id, name }) => [id, name]))
      return (await store.listDeprecatedCalls()).map((calls) => ({ ...calls, name: names.get(calls.keyId) ?? '' }))
    })
    if (json) {
      const plain = rows.map(({ keyId, name, operationId, calls, lastAt }) => {
        return { keyId: Number(keyId), name, operationId, calls, lastAt: new Date(lastAt).toISOString() }
      })
      await print(`${JSON.stringify(plain, null, 2)}\n`)
    } else if (rows.length === 0) {
      await printLines('No key has called a deprecated operation.')
    } else {
      const cells = rows.map(({ keyId, name, operationId, calls, lastAt }) => {
        return [String(keyId), name, operationId, grouped(calls), time(lastAt)]
      })
      await printLines(...table(['KEY', 'NAME', 'OPERATION', 'CALLS', 'LAST'], cells))
    }
  })
}

function storeCommand(name: string, description: string): Command {
  return withSettings(new Command(name).description(description), 'database', 'environment')
}

/** Creates and shows a key. If it cannot be shown, revokes it and throws StartError. */
async function issue(store: KeyStore, { environment }: Config, key: Omit<NewKey, 'hash' | 'ending'>): Promise<void> {
  const text = generateKey(environment)
  const { id, name } = await store.createKey({ ...key, ...keptOfKey(text) })
  try {
    await printOrFail(`${text}\n`)
  } catch (error) {
    await store.revokeKey(id)
    const message = `${(error as Error).message} Key ${id} (${name}) was not shown, so it was revoked.`
    throw new StartError(message, { cause: error })
  }
  printNote(`Key ${id} (${name}) is created. It cannot be shown again.`)
}

/** Returns the old key of a rotation. Throws PetstoreError if it never expires, because the name is then ambiguous. */
function findOldest(keys: readonly ApiKey[], which: string): ApiKey {
  const [oldest, ...others] = findKeys(keys, which)
  if (others.length === 0 || oldest.expiresAt !== undefined) return oldest
  const ids = [oldest, ...others].map(({ id }) => id).join(' or ')
  throw new PetstoreError('not_found', `Several keys have the name ${JSON.stringify(which)}. Use an id: ${ids}.`)
}

function named(keys: readonly ApiKey[], name: string): ApiKey[] {
  return keys.filter((key) => key.name === name)
}

export function keyJson(key: ApiKey) {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    id: Number(key.id),
    name: key.name,
    ending: key.ending?.slice(-4) ?? null,
    environment: environmentOf(key),
    access: key.readOnly ? 'read-only' : 'full',
    state: keyState(key, wallMs()),
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    revokedAt: iso(key.revokedAt),
    lastUsedAt: iso(key.lastUsedAt),
  }
}

/** `null` if it is unknown. */
function environmentOf({ ending = '' }: ApiKey): Environment | null {
  const [, kind] = /^(live|test)_/.exec(ending) ?? []
  return kind === undefined ? null : kind === 'live' ? 'production' : 'staging'
}

/**
 * Returns the active keys with this id or name, oldest first. There are several during a rotation. Throws
 * PetstoreError if there is none.
 */
export function findKeys(keys: readonly ApiKey[], which: string): [ApiKey, ...ApiKey[]] {
  const [first, ...others] = activeKeys(keys).filter(({ id, name }) => String(id) === which || name === which)
  if (first) return [first, ...others]
  const message = `No active key has the id or name ${JSON.stringify(which)}. petstore keys list shows them.`
  throw new PetstoreError('not_found', message)
}

export function activeKeys(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter((key) => keyState(key, wallMs()) === 'active')
}

export function keyListing(keys: readonly ApiKey[]): Line[] {
  if (keys.length === 0) return ['There are no keys. petstore keys create --name NAME creates one.']
  const near = wallMs() + 2 * DAY_MS
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    (key.ending ?? '').replace(/(?=.{4}$)/, '…'),
    key.readOnly ? 'read-only' : 'full',
    keyState(key, wallMs()),
    // To the minute if it is near.
    key.expiresAt === undefined ? 'never' : time(key.expiresAt).slice(0, key.expiresAt < near ? undefined : 10),
    key.lastUsedAt === undefined ? '' : time(key.lastUsedAt),
    time(key.createdAt).slice(0, 10),
  ])
  return table(['ID', 'NAME', 'KEY', 'ACCESS', 'STATE', 'EXPIRES', 'LAST USED', 'CREATED'], rows)
}
