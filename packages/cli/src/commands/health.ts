// `petstore health` reports whether a service is ready, by its exit status. For images and supervisors without an
// HTTP client.

import { Command } from 'commander'
import { PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { localUrl } from '../../../service/src/config/read-config.ts'
import { CLIENT_SETTINGS } from '../../../service/src/config/settings.ts'
import { io } from '../../../service/src/system/io.ts'
import { clientConfigOf, withLocal } from '../terminal/options.ts'
import { plainFetch, useNoProxy } from '../terminal/plain-fetch.ts'
import { printLines } from '../terminal/print.ts'

const TIMEOUT_MS = 5_000

export function healthCommand(): Command {
  const { flag = '', description } = CLIENT_SETTINGS.url
  return withLocal(new Command('health').option(flag, description))
    .description('Check whether a service is ready. Exits with 0 if it is, otherwise with 3. Needs no key.')
    .action(async (_options, self: Command) => {
      const { url: given = localUrl(io().env) } = clientConfigOf(self)
      useNoProxy('*')
      const url = new URL('../readyz', `${given}/`)
      const response = await plainFetch(url.href, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
        throw new PetstoreNetworkError(`${url} does not answer.`, { cause })
      })
      if (!response.ok) throw new PetstoreNetworkError(`The service is not ready: ${url} answered ${response.status}.`)
      await printLines('ready')
    })
}
