// `petstore keys …`: create, list, revoke and rotate API keys, in the store itself. Running services notice the changes.
// Standard output has the key and nothing else, so that it can be piped; messages go to standard error.

import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { parseDuration } from '../config/durations.ts'
import { PetstoreError } from '../domain/errors.ts'
import { type ApiKey, generateKey, hashKey, keyState, type NewKey } from '../domain/keys.ts'
import { configOf, parsedBy, withSettings } from './options.ts'
import { table, time } from './table.ts'
import { withStore } from './with-store.ts'

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
    .requiredOption('--name <name>', 'what the key is for', parsedBy(parseName))
    .option('--read-only', 'the key may read, but change nothing', false)
    .option(
      '--expires <duration>',
      'how long the key works, such as 90d or 12h (default: without limit)',
      parsedBy(parseDuration),
    )
    .addHelpText('after', example("petstore keys create --name 'till 3' --expires 90d"))
    .action(async ({ name, readOnly, expires }, self: Command) => {
      const config = configOf(self)
      await withStore(config, { create: true }, async (store) => {
        const expiresAt = expires === undefined ? undefined : Date.now() + expires
        await issue(config, (key) => store.createKey({ name, readOnly, expiresAt, ...key }))
      })
    })
}

function listCommand(): Command {
  return storeCommand('list', 'Show the API keys: their access, state and expiry.')
    .option('--json', 'print JSON, for programs', false)
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const keys = await withStore(configOf(self), {}, (store) => store.listKeys())
      process.stdout.write(json ? `${JSON.stringify(keys.map(toJson), null, 2)}\n` : listing(keys))
    })
}

function revokeCommand(): Command {
  return storeCommand('revoke', 'Revoke an API key. Every server refuses it within a second.')
    .argument('<key>', 'its id or name')
    .action(async (which: string, _options, self: Command) => {
      await withStore(configOf(self), {}, async (store) => {
        const key = findOne(await store.listKeys(), which)
        await store.revokeKey(key.id)
        report(`Key ${key.id} (${key.name}) is revoked.`)
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
      parsedBy(parseDuration),
    )
    .addHelpText('after', example("petstore keys rotate 'till 3' --overlap 24h"))
    .action(async (which: string, { overlap = DAY_MS, expires }, self: Command) => {
      const config = configOf(self)
      await withStore(config, {}, async (store) => {
        const old = findOne(await store.listKeys(), which)
        const now = Date.now()
        const life = expires ?? (old.expiresAt === undefined ? undefined : old.expiresAt - old.createdAt)
        const expiresAt = life === undefined ? undefined : now + life
        await issue(config, (key) =>
          store.rotateKey(old.id, { name: old.name, readOnly: old.readOnly, expiresAt, ...key }, now + overlap),
        )
        report(`Key ${old.id} works until ${time(Math.min(now + overlap, old.expiresAt ?? Number.POSITIVE_INFINITY))}.`)
      })
    })
}

function generateCommand(): Command {
  return withSettings(new Command('generate'), 'environment')
    .description('Print a new API key for PETSTORE_BOOTSTRAP_KEY. It is not added to a store.')
    .action((_options, self: Command) => {
      process.stdout.write(`${generateKey(configOf(self).environment)}\n`)
    })
}

function storeCommand(name: string, description: string): Command {
  return withSettings(new Command(name).description(description), 'database', 'environment')
}

async function issue(config: Config, create: (key: Pick<NewKey, 'hash'>) => Promise<ApiKey>): Promise<void> {
  const text = generateKey(config.environment)
  const { id, name } = await create({ hash: hashKey(text) })
  process.stdout.write(`${text}\n`)
  report(`Key ${id} (${name}) is created. It cannot be shown again.`)
}

/** The active key with this id or name. Throws PetstoreError when there is none, or when several have the name, as after a rotation. */
function findOne(keys: readonly ApiKey[], which: string): ApiKey {
  const live = keys.filter((key) => keyState(key, Date.now()) === 'active')
  const found = live.filter(({ id, name }) => String(id) === which || name === which)
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(' or ')
    throw new PetstoreError('not_found', `${found.length} keys are named ${which}. Give an id instead: ${ids}.`)
  }
  const [key] = found
  if (!key) throw new PetstoreError('not_found', `No active key has the id or name ${which}. See petstore keys list.`)
  return key
}

function listing(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'There are no keys. petstore keys create --name NAME creates one.\n'
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    key.readOnly ? 'read-only' : 'full',
    keyState(key, Date.now()),
    time(key.createdAt),
    key.expiresAt === undefined ? 'never' : time(key.expiresAt),
  ])
  return table(['ID', 'NAME', 'ACCESS', 'STATE', 'CREATED', 'EXPIRES'], rows)
}

function toJson(key: ApiKey) {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    id: Number(key.id),
    name: key.name,
    access: key.readOnly ? 'read-only' : 'full',
    state: keyState(key, Date.now()),
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    revokedAt: iso(key.revokedAt),
  }
}

/** A name of digits only would be taken for an id. */
function parseName(text: string): string {
  const name = text.trim()
  if (!/^[^\p{C}]{1,100}$/u.test(name) || /^[0-9]+$/.test(name)) {
    throw new Error('must have 1 to 100 printable characters, and not only digits')
  }
  return name
}

function example(command: string): string {
  return `\nExample:\n  ${command}`
}

function report(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
