// Environment and flags → one frozen Config; the only reader of the environment. One table says everything of a setting:
// parsing, `--help` and docs/configuration.md come from it. A flag wins over its variable.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../domain/errors.ts'
import { type Environment, keyEnvironment } from '../domain/keys.ts'
import { LOG_LEVELS, type LogLevel } from '../observability/log.ts'
import { kindOf } from '../store/kinds.ts'
import { parseDuration } from './durations.ts'
import {
  apiKey,
  baseUrl,
  count,
  databaseAddress,
  nonEmpty,
  oneOf,
  origins,
  port,
  rate,
  serviceUrl,
  yesOrNo,
} from './setting-parsers.ts'

export interface Setting<Value> {
  variable: string
  /** As commander writes it; only `serve` has flags of its own beside --database and --environment. */
  flag?: string
  /** What is parsed when nothing is given; without it the value is then undefined. */
  default?: string
  /** May be given as the name of a file, in the variable with `_FILE` at its end; never shown. */
  secret?: true
  /** For people, of one sentence or two. */
  says: string
  /** Throws an Error whose message says what the value must be. */
  parse: (text: string) => Value
}

const setting = <Of extends Setting<unknown>>(of: Of): Of => of

export const SETTINGS = {
  host: setting({
    variable: 'PETSTORE_HOST',
    flag: '--host <address>',
    default: '127.0.0.1',
    says: 'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
    parse: nonEmpty,
  }),
  port: setting({
    variable: 'PETSTORE_PORT',
    flag: '--port <number>',
    default: '8080',
    says: 'The port to listen on; 0 takes a free one.',
    parse: port,
  }),
  database: setting({
    variable: 'PETSTORE_DATABASE',
    flag: '--database <address>',
    default: 'data/petstore.db',
    secret: true,
    says: 'Where everything is kept: a file, made when it is not there, or postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    parse: databaseAddress,
  }),
  environment: setting({
    variable: 'PETSTORE_ENVIRONMENT',
    flag: '--environment <name>',
    default: 'production',
    says: 'production or staging. A key of one is refused by the other.',
    parse: oneOf<Environment>('production', 'staging'),
  }),
  baseUrl: setting({
    variable: 'PETSTORE_BASE_URL',
    says: 'The production address that clients use, ending in /v1, for the served contract. Without it: where the server listens.',
    parse: baseUrl,
  }),
  stagingBaseUrl: setting({
    variable: 'PETSTORE_STAGING_BASE_URL',
    says: 'The same for the staging environment.',
    parse: baseUrl,
  }),
  bootstrapKey: setting({
    variable: 'PETSTORE_BOOTSTRAP_KEY',
    secret: true,
    says: 'The first API key of a store that has none, instead of a new one that is printed. `petstore keys generate` makes one.',
    parse: apiKey,
  }),
  sunset: setting({
    variable: 'PETSTORE_SUNSET',
    default: 'enforce',
    says: 'enforce: a deprecated operation answers 410 from its removal date on. announce: it goes on.',
    parse: oneOf('enforce', 'announce'),
  }),
  logLevel: setting({
    variable: 'PETSTORE_LOG_LEVEL',
    default: 'info',
    says: `What is logged on standard error: ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf<LogLevel>(...LOG_LEVELS),
  }),
  rateLimit: setting({
    variable: 'PETSTORE_RATE_LIMIT',
    says: 'How many requests each API key may send to this server, as 100/s, 6000/m or 100000/h; more get 429. No limit unless given.',
    parse: rate,
  }),
  sharePort: setting({
    variable: 'PETSTORE_SHARE_PORT',
    default: 'no',
    says: 'yes: a new process may listen on the port before the old one leaves, so that a restart is not noticed. Both need it.',
    parse: yesOrNo,
  }),
  corsOrigins: setting({
    variable: 'PETSTORE_CORS_ORIGINS',
    default: '',
    says: 'Origins whose pages may call the service, separated by commas, or *. None unless given.',
    parse: origins,
  }),
  adminPort: setting({
    variable: 'PETSTORE_ADMIN_PORT',
    says: 'The port of the operations listener, with /metrics for Prometheus; 0 takes a free one. None unless given.',
    parse: port,
  }),
  adminHost: setting({
    variable: 'PETSTORE_ADMIN_HOST',
    default: '127.0.0.1',
    says: 'The address of the operations listener.',
    parse: nonEmpty,
  }),
  backupDir: setting({
    variable: 'PETSTORE_BACKUP_DIR',
    says: 'The folder into which a running service backs up its store by itself. None unless given.',
    parse: nonEmpty,
  }),
  backupEvery: setting({
    variable: 'PETSTORE_BACKUP_EVERY',
    default: '24h',
    says: 'How often, as 30m, 24h or 7d.',
    parse: parseDuration,
  }),
  backupKeep: setting({
    variable: 'PETSTORE_BACKUP_KEEP',
    default: '7',
    says: 'How many of these backups are kept; older ones are removed.',
    parse: count,
  }),
}

export type Config = Readonly<{
  [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['parse']> | Absent<(typeof SETTINGS)[Name]>
}>
type Absent<Of> = Of extends { default: string } ? never : undefined

/** For the commands that talk to a service. They need none of the settings above, and `serve` none of these. */
export const CONNECTION_SETTINGS = {
  url: setting({
    variable: 'PETSTORE_URL',
    flag: '--url <address>',
    says: 'The service to talk to. Without it: where `petstore login` has been to, else http://127.0.0.1:8080/v1.',
    parse: serviceUrl,
  }),
  apiKey: setting({
    variable: 'PETSTORE_API_KEY',
    flag: '--api-key <key>',
    secret: true,
    says: 'The API key to send. Others on this machine can see a flag: better a variable, its file, or `petstore login`.',
    parse: apiKey,
  }),
}

export interface Connection {
  /** Ends in /v1. */
  url: string | undefined
  apiKey: string | undefined
}

export type Flags = Partial<Record<keyof typeof SETTINGS, string>>

/** Throws one StartError that names every problem. */
export function readConfig(environment: NodeJS.ProcessEnv, flags: Flags = {}): Config {
  const problems: string[] = []
  const config = readTable(SETTINGS, environment, flags, problems)
  if (config.bootstrapKey && keyEnvironment(config.bootstrapKey as string) !== config.environment) {
    problems.push(`PETSTORE_BOOTSTRAP_KEY is not a key of the environment ${config.environment}`)
  }
  if (config.backupDir && config.database && !kindOf(config.database as string).files) {
    problems.push(
      'PETSTORE_BACKUP_DIR is for files: PostgreSQL is backed up with its own tools, see docs/postgresql.md',
    )
  }
  throwProblems(problems)
  return Object.freeze(config) as Config
}

/** Throws one StartError that names every problem. */
export function readConnection(environment: NodeJS.ProcessEnv, flags: Partial<Record<string, string>>): Connection {
  const problems: string[] = []
  const connection = readTable(CONNECTION_SETTINGS, environment, flags, problems)
  throwProblems(problems)
  return connection as unknown as Connection
}

/** Where `petstore login` keeps what it was told (XDG Base Directory Specification). */
export function loginFile(environment: NodeJS.ProcessEnv): string {
  const home = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config')
  return join(home, 'petstore', 'login.json')
}

function readTable(
  table: Record<string, Setting<unknown>>,
  environment: NodeJS.ProcessEnv,
  flags: Partial<Record<string, string>>,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(table)) {
    try {
      const given = flags[name] ?? fromEnvironment(environment, of) ?? of.default
      values[name] = given === undefined ? undefined : of.parse(given)
    } catch (error) {
      const source = flags[name] === undefined ? of.variable : of.flag?.split(' ')[0]
      problems.push(`${source} ${(error as Error).message}`)
    }
  }
  return values
}

function throwProblems(problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new StartError(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}.`).join('\n')}`)
}

/** A variable that is set but empty counts as not set, as in Compose files and shells. */
function fromEnvironment(environment: NodeJS.ProcessEnv, { variable, secret }: Setting<unknown>): string | undefined {
  const value = environment[variable] || undefined
  const file = secret ? environment[`${variable}_FILE`] || undefined : undefined
  if (file === undefined) return value
  if (value !== undefined) throw new Error(`is given twice: as itself and as ${variable}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from the file in ${variable}_FILE (${(error as NodeJS.ErrnoException).code})`)
  }
}
