// Bundles the simulated server into one module, with the edits of a planted fault, and starts a thread for each server.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import type { Edit } from '../history/planted/code.ts'
import { edited } from '../history/planted.ts'
import { Host } from './host.ts'

const DATABASE = join(import.meta.dir, 'database.ts')

/** The simulation has no sockets and no pages. */
const STUBS = [
  [/\/socket-option\.ts$/, 'export const setSocketOption = () => true\nexport const canBind = async () => true'],
  [/\/web-pages\.ts$/, 'export const pages = () => []'],
] as const

/** Each server has its own thread and module state. Throws if an edit's text does not occur exactly once in its file. */
export async function startHosts(count: number, edits: readonly Edit[] = []): Promise<Host[]> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'process.ts')],
    target: 'bun',
    throw: false,
    plugins: [
      {
        name: 'simulated',
        setup(build) {
          build.onResolve({ filter: /\/thread\.ts$/ }, () => ({ path: join(import.meta.dir, 'thread.ts') }))
          for (const [filter, contents] of STUBS) build.onLoad({ filter }, () => ({ contents, loader: 'ts' }))
          build.onLoad({ filter: /\/packages\/service\/.*\.(ts|sql)$/ }, ({ path }) => {
            const own = edits.filter(([file]) => join(root, file) === path)
            const text = own.reduce(edited, readFileSync(path, 'utf8'))
            const contents = text.replaceAll("from 'bun:sqlite'", `from '${DATABASE}'`)
            return { contents, loader: path.endsWith('.sql') ? 'text' : 'ts' }
          })
        },
      },
    ],
  })
  if (!success) throw new AggregateError(logs)
  const path = temporaryFile('process.js')
  writeFileSync(path, await (outputs[0] as Blob).text())
  return Promise.all(Array.from({ length: count }, () => Host.start(path)))
}
