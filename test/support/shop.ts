// A real service, and commands that are connected to it, in a folder per test file.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PetstoreClient } from '../../packages/client/src/petstore.ts'
import { temporaryFile } from './files.ts'
import { type RunOptions, run } from './process.ts'
import { startService } from './service.ts'

export async function openShop() {
  const service = await startService()
  const cwd = mkdtempSync(temporaryFile('cwd-'))
  const { env } = service
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  return {
    service,
    /** The current folder of the commands. */
    cwd,
    env,
    client,
    /** Runs `petstore pets`. */
    pets: (args: string[], options: RunOptions = {}) => run(['pets', ...args], { cwd, env, ...options }),
    /** Writes a file in the current folder, and returns its name. */
    file(name: string, text: string): string {
      writeFileSync(join(cwd, name), text)
      return name
    },
    /** The number of pets in the service. */
    count: async () => (await Array.fromAsync(client.listPets())).length,
  }
}
