// `petstore health`: whether a service is ready, as an exit status. For images and supervisors that have no HTTP client.

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
    .description('Ask a service whether it is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .option(flag, description)
    .addOption(new Option('--host <address>', 'ask at this address of this machine').conflicts('url'))
    .addOption(new Option('--port <number>', 'ask at this port of this machine').conflicts('url'))
    .option(
      '--process <id>',
      'ask where the flags of this process say; in a container, process 1 is the service (Linux)',
      parseInt64,
    )
    .action(async ({ process: id, host, port }: { process?: bigint; host?: string; port?: string }, self: Command) => {
      const flags = id === undefined ? {} : flagsOf(id)
      const local = () => localUrl(io().env, { host: host ?? flags.host, port: port ?? flags.port })
      const given = host === undefined && port === undefined ? clientConfigOf(self).url : undefined
      useNoProxy('*')
      const url = new URL('../readyz', `${given ?? local()}/`)
      const response = await plainFetch(url.href, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
        throw new PetstoreNetworkError(`${url} does not answer.`, { cause })
      })
      if (!response.ok) throw new PetstoreNetworkError(`${url} answers ${response.status}: the service is not ready.`)
      await printLines('ready')
    })
}

/** The flags of a running service that say where it listens. */
function flagsOf(id: bigint): Flags {
  try {
    const args = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
    const options = { host: { type: 'string' }, port: { type: 'string' } } as const
    return parseArgs({ args, options, strict: false }).values as Flags
  } catch (cause) {
    throw new StartError(`The flags of the process ${id} cannot be read.`, { cause })
  }
}
