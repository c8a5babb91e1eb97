// Packages as `npm pack` makes them.

import { dirname, join } from 'node:path'
import { temporaryFile } from './files.ts'

/** Packs the package in `folder`, built anew if it is the clone. Returns the path of the archive. */
export async function pack(folder: string): Promise<string> {
  const destination = dirname(temporaryFile('package.tgz'))
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
