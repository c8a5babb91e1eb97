// The packages and the executable, each built once per run, because concurrent builds would break in dist/.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './files.ts'
import { root } from './process.ts'
import { runTool } from './tools.ts'
import { until } from './until.ts'

/** Packs both packages, and resolves with the paths of the archives. Packing the service builds both. */
export function packages() {
  return once('packages', async (folder) => {
    const pack = async (from: string) => {
      const output = await runTool(['npm', 'pack', '--silent', '--pack-destination', folder], from)
      return join(folder, output.trim().split('\n').at(-1) as string)
    }
    return { service: await pack(root), client: await pack(join(root, 'dist/petstore-client')) }
  })
}

/** Builds the executable in a folder with only its notices, and resolves with its path. */
export function executable(): Promise<string> {
  return once('executable', async (folder) => {
    const path = join(folder, 'petstore')
    await runTool([process.execPath, 'scripts/build-executable.ts', '--outfile', path], root)
    return path
  })
}

/** Runs `make` in the first test file that calls this, and resolves with its result in all of them. */
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
  await until(`another test file has built ${name}`, () => existsSync(result))
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

/** Node without the loading of ES modules by `require`, which newer versions add. */
const flag = '--no-experimental-require-module'
export const plainNode = ['node', ...(Bun.spawnSync(['node', flag, '--version']).success ? [flag] : [])]
