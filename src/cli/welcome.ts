// What `petstore serve` says on standard output when it has started: where everything is, and the store's first key.

import type { Config } from '../config/config.ts'
import { SETTINGS } from '../config/settings.ts'
import { absolutePath } from '../store/absolute-path.ts'
import { kindOf } from '../store/kinds.ts'
import { commandName } from './self.ts'

/** `url` ends in /v1. `key` is the first key of a new store, and is shown once. */
export function welcome(url: string, { database, environment }: Config, key?: string): string {
  const kind = kindOf(database)
  const data = kind.files ? absolutePath(database) : kind.describe(database)
  const command = [commandName(), 'keys create --name NAME']
  // An address of PostgreSQL may contain a password, so it is not repeated.
  if (kind.files && database !== SETTINGS.database.default) command.push(`--database ${quoted(data)}`)
  if (environment !== SETTINGS.environment.default) command.push(`--environment ${environment}`)
  return `${key ? first(url, key) : ''}${places(url)}Data         ${data}\nAnother key  ${command.join(' ')}\n\n`
}

/** Where people find the service. */
export function places(url: string): string {
  return `
Page         ${new URL('/', url)}
Reference    ${new URL('/docs', url)}
API          ${url}
`
}

function first(url: string, key: string): string {
  return `
Welcome. This is the store's first API key. It cannot be shown again:

    ${key}

Add a pet with it:

    curl ${url}/pets \\
      -H 'Authorization: Bearer ${key}' \\
      -H 'Content-Type: application/json' \\
      -d '{"name":"Rex","categoryId":7}'

The answer: {"id":1,"name":"Rex","categoryId":7,"status":"available"}
`
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
