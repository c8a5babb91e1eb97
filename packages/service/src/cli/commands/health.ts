// `petstore health` reports whether a service is ready, by its exit status. For images and supervisors without an
// HTTP client.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Command, Option } from 'commander'
import { PetstoreNetworkError } from '../../../../client/src/petstore.ts'
import { type Flags, localUrl } from '../../config/read-config.ts'
import { CLIENT_SETTINGS } from '../../config/settings.ts'
import { StartError } from '../../domain/start-error.ts'
import { io } from '../../system/io.ts'
import { clientConfigOf, parseInt64 } from '../../terminal/options.ts'
import { plainFetch, useNoProxy } from '../../terminal/plain-fetch.ts'
import { printLines } from '../../terminal/print.ts'

const TIMEOUT_MS = 5_000

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return new Command('health')
    .description('Check whether a service is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .option(flag, description)
    .addOption(new Option('--host <address>', 'check this address of this machine').conflicts('url'))
    .addOption(new Option('--port <number>', 'check this port of this machine').conflicts('url'))
    .option('--process <id>', 'use host and port of this process, such as 1 in a container (Linux)', parseInt64)
    .action(async ({ process: id, host, port }: { process?: bigint; host?: string; port?: string }, self: Command) => {
      const flags = id === undefined ? {} : flagsOf(id)
      const local = () => localUrl(io().env, { host: host ?? flags.host, port: port ?? flags.port })
      const given = host === undefined && port === undefined ? clientConfigOf(self).url : undefined
      useNoProxy('*')
      const url = new URL('../readyz', `${given ?? local()}/`)
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
