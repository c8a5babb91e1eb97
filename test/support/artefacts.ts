// What the clone builds: its packages, as `npm pack` makes them, and its executable. Each is made once for all files that `npm test` runs:
// two builds at the same time would each remove from dist/ what the other packs.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './files.ts'
import { root } from './process.ts'
import { runTool } from './tools.ts'
import { until } from './until.ts'

export interface Archives {
  service: string
  client: string
}

/** The paths of the archives. The service's is built before it is packed, and the client with it. */
export function packages(): Promise<Archives> {
  return once('packages', async (folder) => {
    const pack = async (from: string) => {
      const output = await runTool(['npm', 'pack', '--silent', '--pack-destination', folder], from)
      return join(folder, output.trim().split('\n').at(-1) as string)
    }
    return { service: await pack(root), client: await pack(join(root, 'dist/petstore-client')) }
  })
}

/** Its path. It has its notices beside it, and nothing else. */
export function executable(): Promise<string> {
  return once('executable', async (folder) => {
    const path = join(folder, 'petstore')
    await runTool([process.execPath, 'scripts/build-executable.ts', '--outfile', path], root)
    return path
  })
}

/** What `make` gives to the first file of the suite that asks; the others wait for it. */
async function once<Made>(name: string, make: (folder: string) => Promise<Made>): Promise<Made> {
  const folder = join(process.env.SUITE_FOLDER ?? mkdtempSync(temporaryFile('made-')), name)
  const result = `${folder}.json`
  if (isFirst(folder)) {
    const made = await make(folder).then(
      (value) => ({ value }),
      (error) => ({ error: String(error) }),
    )
    writeFileSync(`${result}.partial`, JSON.stringify(made))
    renameSync(`${result}.partial`, result)
  }
  await until('another test file has made it', () => existsSync(result))
  const { error, value } = JSON.parse(readFileSync(result, 'utf8'))
  if (error) throw new Error(error)
  return value
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

/** Without what newer versions of Node add: CommonJS that loads ES modules. */
const flag = '--no-experimental-require-module'
export const plainNode = ['node', ...(Bun.spawnSync(['node', flag, '--version']).success ? [flag] : [])]
