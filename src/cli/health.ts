// `petstore health`: whether a service is ready, as an exit status. For images and supervisors that have no HTTP client.

import { Command } from 'commander'
import { PetstoreNetworkError } from '../client/petstore.ts'
import { localUrl } from '../config/config.ts'
import { CLIENT_SETTINGS } from '../config/settings.ts'
import { clientConfigOf } from './options.ts'
import { say } from './print.ts'

const TIMEOUT_MS = 5_000

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return new Command('health')
    .description('Ask a service whether it is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .option(flag, description)
    .action(async (_options, self: Command) => {
      const url = new URL('../readyz', `${clientConfigOf(self).url ?? localUrl(process.env)}/`)
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
        throw new PetstoreNetworkError(`${url} does not answer.`, { cause })
      })
      if (!response.ok) throw new PetstoreNetworkError(`${url} answers ${response.status}: the service is not ready.`)
      await say('ready')
    })
}
