// The packages of the clone, as `npm pack` makes them. Made once for all files that `npm test` runs: two builds at the same time
// would each remove from dist/ what the other packs.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './files.ts'
import { root } from './process.ts'

export interface Archives {
  service: string
  client: string
}

/** The paths of the archives, built anew. */
export async function packages(): Promise<Archives> {
  const folder = join(process.env.SUITE_FOLDER ?? mkdtempSync(temporaryFile('packages-')), 'packages')
  const result = join(folder, 'result.json')
  if (isFirst(folder)) {
    writeFileSync(
      `${result}.partial`,
      JSON.stringify(await packBoth(folder).catch((error) => ({ error: String(error) }))),
    )
    renameSync(`${result}.partial`, result)
  }
  while (!existsSync(result)) await Bun.sleep(50)
  const { error, ...archives } = JSON.parse(readFileSync(result, 'utf8'))
  if (error) throw new Error(error)
  return archives
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** The service's is built before it is packed, and the client with it. */
async function packBoth(destination: string): Promise<Archives> {
  const service = await pack(root, destination)
  return { service, client: await pack(join(root, 'dist/petstore-client'), destination) }
}

async function pack(folder: string, destination: string): Promise<string> {
  const child = Bun.spawn(['npm', 'pack', '--silent', '--pack-destination', destination], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`npm pack failed in ${folder}`)
  return join(destination, output.trim().split('\n').at(-1) as string)
}

/** Without what newer versions of Node add: CommonJS that loads ES modules. */
const flag = '--no-experimental-require-module'
export const plainNode = ['node', ...(Bun.spawnSync(['node', flag, '--version']).success ? [flag] : [])]
