// `petstore health` reports whether a service is ready, by its exit status. For images and supervisors without an
// HTTP client.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Command } from 'commander'
import { PetstoreNetworkError } from '../../../../client/src/petstore.ts'
import { type Flags, localUrl } from '../../config/read-config.ts'
import { CLIENT_SETTINGS } from '../../config/settings.ts'
import { StartError } from '../../domain/start-error.ts'
import { io } from '../../system/io.ts'
import { clientConfigOf, parseInt64, withLocal } from '../../terminal/options.ts'
import { plainFetch, useNoProxy } from '../../terminal/plain-fetch.ts'
import { printLines } from '../../terminal/print.ts'

const TIMEOUT_MS = 5_000

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return withLocal(new Command('health').option(flag, description))
    .description('Check whether a service is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .option('--process <id>', 'use host and port of this process, such as 1 in a container (Linux)', parseInt64)
    .action(async ({ process: id }: { process?: bigint }, self: Command) => {
      const { url: given = localUrl(io().env, id === undefined ? {} : flagsOf(id)) } = clientConfigOf(self)
      useNoProxy('*')
      const url = new URL('../readyz', `${given}/`)
      const response = await plainFetch(url.href, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
        throw new PetstoreNetworkError(`${url} does not answer.`, { cause })
      })
      if (!response.ok) throw new PetstoreNetworkError(`The service is not ready: ${url} answered ${response.status}.`)
      await printLines('ready')
    })
}

/** Returns the host and port flags of a running service. */
function flagsOf(id: bigint): Flags {
  try {
    const args = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
    const options = { host: { type: 'string' }, port: { type: 'string' } } as const
    return parseArgs({ args, options, strict: false }).values as Flags
  } catch (cause) {
    throw new StartError(`The flags of process ${id} cannot be read.`, { cause })
  }
}
