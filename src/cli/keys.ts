// `petstore keys …`: issue, list, end and rotate API keys, in the store itself. A running service notices by itself.
// A key goes to standard output alone, so that it can be piped; what is said about it goes to standard error.

import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { parseDuration } from '../config/durations.ts'
import { PetstoreError } from '../domain/errors.ts'
import { type ApiKey, generateKey, hashKey, keyState, type NewKey } from '../domain/keys.ts'
import { configOf, parsedBy, withSettings } from './options.ts'
import { table } from './table.ts'
import { time, withStore } from './with-store.ts'

const DAY_MS = 86_400_000

export function keysCommand(): Command {
  return new Command('keys')
    .description('Issue, list, revoke and rotate API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateCommand())
    .addCommand(generateCommand())
}

function createCommand(): Command {
  return storeCommand('create', 'Issue a key and print it, this once.')
    .requiredOption('--name <name>', 'what the key is for', parsedBy(parseName))
    .option('--read-only', 'the key may list and fetch, not add', false)
    .option('--expires <duration>', 'end the key after this time, as 90d or 12h', parsedBy(parseDuration))
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
  return storeCommand('list', 'Show the keys: what they may do, and until when.')
    .option('--json', 'print JSON, for programs', false)
    .action(async ({ json }: { json: boolean }, self: Command) => {
      const keys = await withStore(configOf(self), {}, (store) => store.listKeys())
      process.stdout.write(json ? `${JSON.stringify(keys.map(toJson), null, 2)}\n` : listing(keys))
    })
}

function revokeCommand(): Command {
  return storeCommand('revoke', 'End a key now. It stops working on every server within a second.')
    .argument('<key>', 'its id or its name')
    .action(async (which: string, _options, self: Command) => {
      await withStore(configOf(self), {}, async (store) => {
        const key = findOne(await store.listKeys(), which)
        await store.revokeKey(key.id)
        say(`Key ${key.id} (${key.name}) is revoked.`)
      })
    })
}

function rotateCommand(): Command {
  return storeCommand('rotate', 'Issue a key in the place of another, which ends later.')
    .argument('<key>', "the old key's id or name")
    .option('--overlap <duration>', 'how long the old key still works (default: 24h)', parsedBy(parseDuration))
    .option(
      '--expires <duration>',
      'end the new key after this time (default: as long as the old one had)',
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
        say(`Key ${old.id} ends at ${time(Math.min(now + overlap, old.expiresAt ?? Number.POSITIVE_INFINITY))}.`)
      })
    })
}

function generateCommand(): Command {
  return withSettings(new Command('generate'), 'environment')
    .description('Print a key that no store knows yet, for PETSTORE_BOOTSTRAP_KEY.')
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
  say(`Key ${id} (${name}) is issued. It is shown only this once.`)
}

/** The live key of this id or name. Throws when there is none, or when a rotation has left two of the name. */
function findOne(keys: readonly ApiKey[], which: string): ApiKey {
  const live = keys.filter((key) => keyState(key, Date.now()) === 'active')
  const found = live.filter(({ id, name }) => String(id) === which || name === which)
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(' and ')
    throw new PetstoreError('not_found', `${found.length} keys are named ${which}: give the id, ${ids}.`)
  }
  if (!found[0])
    throw new PetstoreError('not_found', `No active key has the id or name ${which}. See petstore keys list.`)
  return found[0]
}

function listing(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'There are no keys. petstore keys create --name NAME issues one.\n'
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

function toJson({ id, name, readOnly, createdAt, expiresAt, revokedAt, ...rest }: ApiKey) {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
  return {
    id: Number(id),
    name,
    access: readOnly ? 'read-only' : 'full',
    state: keyState({ id, name, readOnly, createdAt, expiresAt, revokedAt, ...rest }, Date.now()),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  }
}

/** Not all digits, so that it is never taken for an id; nothing that would disturb a terminal. */
function parseName(text: string): string {
  const name = text.trim()
  if (!/^[^\p{C}]{1,100}$/u.test(name) || /^[0-9]+$/.test(name)) {
    throw new Error('must be 1 to 100 printable characters, not only digits')
  }
  return name
}

function example(command: string): string {
  return `\nExample:\n  ${command}`
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
