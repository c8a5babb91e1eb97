// The output of `petstore serve` after its start: addresses, and the store's first key.

import type { Config } from '../../service/src/config/read-config.ts'
import { SETTINGS } from '../../service/src/config/settings.ts'
import type { Log } from '../../service/src/observability/log.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { kindOf } from '../../service/src/store/kinds.ts'
import { io, printableLines } from '../../service/src/system/io.ts'
import { commandName } from './child-process.ts'

export interface Started {
  /** Ends in /v1. */
  url: string
  config: Config
  metrics: string | undefined
}

/**
 * Returns a function that formats the text for the first key of a new store, or without one. Call `announcement`
 * before creating the key, so that an error here cannot leave a key that was never shown.
 */
export function announcement(
  { url, config, metrics }: Started,
  { json, ephemeral, worker }: { json: boolean; ephemeral: boolean; worker: boolean },
): (key: string | undefined) => string {
  if (json) return (key) => `${JSON.stringify({ url, apiKey: key, metrics })}\n`
  const shown = ephemeral ? io().stdout.isTTY && `${places(url)}\n` : !worker && welcome(url, config)
  const text = `${shown || ''}${metrics ? `metrics on ${metrics}\n` : ''}petstore listening on ${url}\n`
  return (key) => (ephemeral ? `key: ${key}\n` : key ? first(url, key) : '') + text
}

/** If stdout cannot be written, the service continues, and the log explains how to get a key. */
export async function printOrLog(text: string, log: Log, ephemeral: boolean): Promise<void> {
  // Not process.stdout, which takes about 8 ms to load.
  await Bun.write(Bun.stdout, printableLines(text)).catch(({ code }: NodeJS.ErrnoException) => {
    // No command can open a store in memory.
    if (ephemeral) log.warn({ code }, 'standard output cannot be written; only a restart shows the ephemeral key')
    else log.warn({ code }, 'standard output cannot be written; `petstore keys create` creates a key')
  })
}

function welcome(url: string, { database, environment }: Config): string {
  const kind = kindOf(database)
  const data = kind.files ? absolutePath(database) : kind.describe(database)
  const command = [commandName(), 'keys create --name NAME']
  // Without the user and the password of the service, and as a variable, because other users can see flags.
  if (!kind.files) command.unshift(`PETSTORE_DATABASE=${data.replace('://', '://USER:PASSWORD@')}`)
  else if (database !== SETTINGS.database.default) command.push(`--database ${quoted(data)}`)
  if (environment !== SETTINGS.environment.default) command.push(`--environment ${environment}`)
  return `${places(url)}Data         ${data}\nAnother key  ${command.join(' ')}\n\n`
}

function places(url: string): string {
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

/** Quotes a word for the shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
