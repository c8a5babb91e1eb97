// `petstore login` and `logout` save and delete an address and an API key for later commands, in a file that only its
// owner can read. The service checks the key before it is saved.

import { fchmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { Command } from 'commander'
import { PetstoreClient } from '../../../client/src/petstore.ts'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { KeyError, localUrl, loginFile } from '../../../service/src/config/read-config.ts'
import { apiKey, serviceUrl } from '../../../service/src/config/setting-parsers.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { io } from '../../../service/src/system/io.ts'
import { replaceFile, targetOf } from '../../../service/src/system/partial.ts'
import { setService } from '../terminal/exit-codes.ts'
import { prompt } from '../terminal/interaction.ts'
import { clientConfigOf, withClientSettings } from '../terminal/options.ts'
import { plainFetch } from '../terminal/plain-fetch.ts'
import { printNote } from '../terminal/print.ts'

const NOTHING_SAVED = 'Nothing was saved.'

interface Login {
  url: string
  apiKey: string
}

export function loginCommand(): Command {
  return withClientSettings(new Command('login'))
    .description('Save an address and an API key for later commands.')
    .addHelpText(
      'after',
      `
Asks for the key without showing it, or reads it from standard input.

Examples:
  petstore login
  petstore login --url https://petstore.example < key.txt`,
    )
    .action(async (_options, self: Command) => {
      const options = clientConfigOf(self)
      const file = loginFile(io().env)
      if (file === undefined) {
        throw new StartError(
          'There is no home folder to save the key in. Set HOME or XDG_CONFIG_HOME, or use PETSTORE_API_KEY instead.',
        )
      }
      const url = options.url ?? (await askForUrl())
      setService(url)
      const login = { url, apiKey: options.apiKey ?? (await askForKey(url)) }
      await new PetstoreClient({ baseUrl: login.url, apiKey: login.apiKey, fetch: plainFetch }).listPage({ limit: 1 })
      await writeLogin(file, login)
      printNote(`Logged in to ${url}. petstore logout deletes the saved key.`)
    })
}

export function logoutCommand(): Command {
  return new Command('logout').description('Delete the saved address and API key.').action(() => {
    const file = loginFile(io().env)
    // Follows links as `login` does, because the key is in their target.
    if (file !== undefined) rmSync(regular(file), { force: true })
    printNote('Logged out.')
  })
}

/** Returns the saved login, or `undefined` if there is none. Throws StartError if the file is damaged. */
export function readLogin(): Login | undefined {
  const file = loginFile(io().env)
  if (file === undefined) return undefined
  try {
    const { url, apiKey: key } = JSON.parse(readFileSync(regular(file), 'utf8'))
    return { url: serviceUrl(url), apiKey: apiKey(key) }
  } catch (error) {
    if (error instanceof StartError) throw error
    // HOME can be /dev/null.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined
    throw new StartError(`${file} is damaged. Run petstore login to replace it.`, { cause: error })
  }
}

/**
 * Returns the path that the links lead to. Throws StartError for a device, whose mode root would change and which root would
 * delete, and for a pipe, which would never end.
 */
function regular(file: string): string {
  const { path, special } = targetOf(file)
  if (!special) return path
  throw new StartError(`${file} must be a file, but is or leads to something else. Remove it, or use PETSTORE_API_KEY.`)
}

/** Other users can never read the file, not even for a moment. */
async function writeLogin(file: string, login: Login): Promise<void> {
  try {
    regular(file)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    await replaceFile(file, 0o600, (descriptor) => {
      fchmodSync(descriptor, 0o600)
      writeFileSync(descriptor, `${JSON.stringify(login)}\n`)
    })
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`${file} cannot be written (${systemReason(error)}).`, { cause: error })
  }
}

async function askForUrl(): Promise<string> {
  const defaultUrl = localUrl(io().env)
  if (!io().stdin.isTTY) return defaultUrl
  const answer = await prompt(`Address of the service [${defaultUrl}]: `, { stopped: NOTHING_SAVED })
  return checked(serviceUrl, answer || defaultUrl, 'The address')
}

async function askForKey(url: string): Promise<string> {
  const text = io().stdin.isTTY
    ? await prompt(`API key for ${url} (not shown): `, { hidden: true, stopped: NOTHING_SAVED })
    : await textOf(io().stdin)
  if (text.trim() === '') throw new KeyError(`No API key was given. ${NOTHING_SAVED}`)
  return checked(apiKey, text.trim(), 'The key', KeyError)
}

function checked(parse: (text: string) => string, text: string, what: string, Kind = StartError): string {
  try {
    return parse(text)
  } catch (error) {
    throw new Kind(`${what} ${(error as Error).message}.`)
  }
}
