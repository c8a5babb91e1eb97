// `petstore health`: whether a service is ready, as an exit status. For images and supervisors that have no HTTP client.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Command } from 'commander'
import { PetstoreNetworkError } from '../../../../client/src/petstore.ts'
import { type Flags, localUrl } from '../../config/read-config.ts'
import { CLIENT_SETTINGS } from '../../config/settings.ts'
import { StartError } from '../../domain/start-error.ts'
import { io } from '../../system/io.ts'
import { clientConfigOf, parseInt64 } from '../options.ts'
import { plainFetch, useNoProxy } from '../plain-fetch.ts'
import { printLines } from '../print.ts'

const TIMEOUT_MS = 5_000

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return new Command('health')
    .description('Ask a service whether it is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .option(flag, description)
    .option(
      '--process <id>',
      'ask where the flags of this process say; in a container, process 1 is the service (Linux)',
      parseInt64,
    )
    .action(async ({ process: id }: { process?: bigint }, self: Command) => {
      const local = () => localUrl(io().env, id === undefined ? {} : flagsOf(id))
      useNoProxy('*')
      const url = new URL('../readyz', `${clientConfigOf(self).url ?? local()}/`)
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
