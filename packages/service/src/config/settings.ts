// All settings: variable, flag, default, description and parser. The configuration, `--help` and
// docs/configuration.md are derived from these tables.

import type { Environment } from '../domain/keys.ts'
import { ACCESS_LOGS, type AccessLogKind, LOG_LEVELS, type LogLevel } from '../observability/log.ts'
import * as parsers from './setting-parsers.ts'

export interface Setting<Value> {
  variable: string
  /** In commander's format. */
  flag?: string
  /** Parsed if the setting is not given. The value is then `undefined` if there is no default. */
  default?: string
  /** All values that `parse` accepts, if they are few. */
  values?: readonly string[]
  /** This setting has no effect without this other variable. */
  needs?: string
  /** The variable with the suffix `_FILE` can name a file that contains the value. The value is never shown. */
  secret?: true
  /** One or two sentences, for people. */
  description: string
  /** Throws an Error whose message completes a sentence about the setting: "must be …". */
  parse: (text: string) => Value
}

/** Adds each setting's variable: for example PETSTORE_BACKUP_DIR for `backupDir`. */
function withVariables<const Of extends Readonly<Record<string, Omit<Setting<unknown>, 'variable'>>>>(table: Of) {
  const entries = Object.entries(table).map(([name, setting]) => {
    return [name, { ...setting, variable: `PETSTORE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}` }]
  })
  return Object.fromEntries(entries) as { [Name in keyof Of]: Of[Name] & { readonly variable: string } }
}

const ENVIRONMENTS = ['production', 'staging'] as const satisfies readonly Environment[]

export const SETTINGS = withVariables({
  host: {
    flag: '--host <address>',
    default: '127.0.0.1',
    description: 'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
    parse: parsers.host,
  },
  port: {
    flag: '--port <number>',
    default: '8080',
    description: 'The port to listen on; 0 chooses a free one.',
    parse: parsers.port,
  },
  database: {
    flag: '--database <address>',
    default: 'data/petstore.db',
    secret: true,
    description:
      'The store: a file, which `serve` creates if it is missing, or postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    parse: parsers.databaseAddress,
  },
  environment: {
    flag: '--environment <name>',
    default: 'production',
    description: 'production or staging. Each refuses the API keys of the other.',
    values: ENVIRONMENTS,
    parse: parsers.oneOf(...ENVIRONMENTS),
  },
  baseUrl: {
    description:
      'The production address in the served contract, ending in /v1. Links in production carry its path. ' +
      "Default: in production the address the server listens on, in staging the contract's example.",
    parse: parsers.baseUrl,
  },
  stagingBaseUrl: {
    description:
      'The staging address in the served contract, ending in /v1. Links in staging carry its path. ' +
      "Default: in staging the address the server listens on, in production the contract's example.",
    parse: parsers.baseUrl,
  },
  storeName: {
    default: 'Petstore',
    description: "The store's name, which the page and its receipts show: up to 60 characters.",
    parse: parsers.storeName,
  },
  categories: {
    description:
      'A CSV file with the columns id and name: the names of categories, for the page and the commands. ' +
      '`serve` reads it when it starts. Default: categories have only ids.',
    parse: parsers.path,
  },
  bootstrapKey: {
    secret: true,
    description:
      'The first API key of a store that has none. Default: the server creates one and prints it. ' +
      '`petstore keys generate` prints a suitable key.',
    parse: parsers.apiKey,
  },
  sunset: {
    default: 'enforce',
    description: 'enforce: deprecated operations answer 410 from their removal date on. announce: they still work.',
    parse: parsers.oneOf('enforce', 'announce'),
  },
  logLevel: {
    default: 'info',
    description: `The least severe messages to log on standard error: ${LOG_LEVELS.join(', ')}.`,
    parse: parsers.oneOf<LogLevel>(...LOG_LEVELS),
  },
  accessLog: {
    flag: '--access-log <responses>',
    default: 'errors',
    description:
      'The responses that get a line in the log, at level info. errors: those with status 400 or higher, at most 10 ' +
      'per second and status.',
    values: ACCESS_LOGS,
    parse: parsers.oneOf<AccessLogKind>(...ACCESS_LOGS),
  },
  trustedProxies: {
    default: '',
    description:
      'The addresses or networks of your proxies, separated by commas, such as 10.0.0.0/8. The log takes the address ' +
      'of a client from X-Forwarded-For only if a request comes from one of them. Default: none.',
    parse: parsers.proxies,
  },
  rateLimit: {
    description:
      'The most requests that this server accepts from each API key: 100/s, 6000/m or 100000/h. More get 429. ' +
      'Default: no limit.',
    parse: parsers.rate,
  },
  maxWaiting: {
    default: '1000',
    description: 'How many requests may wait for events (`wait` of listEvents) in each process. More get 503.',
    parse: parsers.count,
  },
  sharePort: {
    default: 'no',
    description:
      'yes: a new process may listen on the port before the old one stops, for a restart without a gap. Both need it.',
    parse: parsers.yesOrNo,
  },
  corsOrigins: {
    default: '',
    description: 'The origins whose web pages may call the service, separated by commas, or *. Default: none.',
    parse: parsers.origins,
  },
  adminPort: {
    description:
      'The port of the operations listener, which serves /metrics to Prometheus; 0 chooses a free one. ' +
      'Default: no such listener.',
    parse: parsers.port,
  },
  adminHost: {
    needs: 'PETSTORE_ADMIN_PORT',
    default: '127.0.0.1',
    description: 'The address of the operations listener.',
    parse: parsers.host,
  },
  backupDir: {
    description: 'The folder for periodic backups of a store that is a file. Default: no periodic backups.',
    parse: parsers.path,
  },
  backupEvery: {
    needs: 'PETSTORE_BACKUP_DIR',
    default: '24h',
    description: 'The time between periodic backups, such as 30m, 24h or 7d.',
    parse: parsers.parsePeriod,
  },
  backupKeep: {
    needs: 'PETSTORE_BACKUP_DIR',
    default: '7',
    description: 'How many periodic backups to keep. Older ones are deleted.',
    parse: parsers.count,
  },
})

/** The settings of commands that call a service. Of the settings above these commands use only host and port. */
export const CLIENT_SETTINGS = withVariables({
  url: {
    flag: '--url <address>',
    description:
      'The service to call. Default: this machine, at PETSTORE_HOST and PETSTORE_PORT, or the address that ' +
      '`petstore login` saved if you set neither these nor an API key.',
    parse: parsers.serviceUrl,
  },
  apiKey: {
    flag: '--api-key <key>',
    secret: true,
    description:
      'The API key. Other users of this machine can see flags: prefer the variable, its file, or `petstore login`.',
    parse: parsers.apiKey,
  },
})

/** The settings of `petstore verify`, which examines any server: keys can have any form. */
export const VERIFY_SETTINGS = withVariables({
  apiKey: {
    flag: '--key, --api-key <key>',
    secret: true,
    description: 'The API key of the server, in any form.',
    parse: parsers.bearerToken,
  },
  readOnlyKey: {
    flag: '--read-only-key <key>',
    secret: true,
    description: 'A read-only key, for the promises about such keys.',
    parse: parsers.bearerToken,
  },
  otherKey: {
    flag: '--other-key <key>',
    secret: true,
    description: 'A second key that can write, for the promises about two keys.',
    parse: parsers.bearerToken,
  },
})
