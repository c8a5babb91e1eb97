// Resolves categories by name (`GET /names`) or id.

import { type Command, Option } from 'commander'
import { readNames } from '../../client/src/names.ts'
import { FlagError } from '../../service/src/config/read-config.ts'
import { Names } from '../../service/src/domain/names.ts'
import { clientOptions } from './client.ts'
import { parseInt64 } from './terminal/options.ts'
import { plainFetch } from './terminal/plain-fetch.ts'

const TIMEOUT_MS = 5_000
/** The number of names that an error lists. */
const OFFERED_MAX = 10

/** Adds `--category`. The command's action gets the id even if the user gave a name. */
export function withCategory(command: Command, description: string, mandatory = false): Command {
  const option = new Option('--category <category>', `${description}: its id or its name`)
  return command
    .addOption(option.argParser((text) => (isId(text) ? parseInt64(text) : text)).makeOptionMandatory(mandatory))
    .hook('preAction', async (_parent, self) => {
      const { category } = self.opts()
      if (typeof category === 'string') self.setOptionValue('category', idOf(await namesFor(self), category))
    })
}

/** Numbers are ids, because no name is a number. */
const isId = (text: string) => /^[+-]?[0-9]+$/.test(text)

/** Throws FlagError. */
function idOf(names: Names, name: string): bigint {
  const id = names.idOf(name)
  if (id !== undefined) return id
  const offered = names.categories.slice(0, OFFERED_MAX).map((category) => JSON.stringify(category.name))
  if (names.categories.length > OFFERED_MAX) offered.push('…')
  const others = offered.length > 0 ? `The names are ${offered.join(', ')}.` : 'The service has no names: use an id.'
  throw new FlagError(`No category has the name ${JSON.stringify(name)}. ${others}`)
}

/** Rejects as client calls do, and with KeyError. */
export async function namesFor(command: Command, { retries = 2, timeoutMs = TIMEOUT_MS } = {}): Promise<Names> {
  const { baseUrl, apiKey } = clientOptions(command)
  const options = { fetch: plainFetch, timeoutMs, retries, signal: AbortSignal.any([]) }
  const { store = '', categories } = (await readNames(baseUrl.replace(/\/v1$/, ''), apiKey, options)) ?? {}
  return new Names(store, categories)
}

/** For output that is still useful without names. */
export function namesIfThere(command: Command, timeoutMs?: number): Promise<Names> {
  return namesFor(command, { retries: 0, timeoutMs }).catch(() => new Names(''))
}
