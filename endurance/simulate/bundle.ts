// Bundles the simulated server into one module, with the edits of a planted fault, and starts a thread for each server.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import { Host } from './host.ts'

/** A text that occurs once in a file, and its replacement. */
export type Edit = readonly [file: string, from: string, to: string]

/** Modules of Bun, the files that replace them, and where. */
const REPLACED = {
  'bun:sqlite': { file: 'database.ts', in: /./ },
  'node:fs': { file: 'file-system.ts', in: /\/(partial|files|backup|periodic-backups|saved-cursor)\.ts$/ },
}

/** The simulation has no sockets, no pages, no other processes and no other stores. */
const STUBS = [
  [
    /\/listening-sockets\.ts$/,
    `export const [setSocketOption, redirectNewConnections, refuseNew, canBind] = Array(4).fill(() => true)`,
  ],
  [/\/web-pages\.ts$/, 'export const pages = () => []'],
  [
    /\/kinds\.ts$/,
    `import { identityOf } from './sqlite/file/guard.ts'
     import { originOf } from './sqlite/file/integrity.ts'
     export const kindOf = () => ({ files: { origin: (copy, store) => originOf(copy, identityOf(store)) } })`,
  ],
  [
    /\/steady-sync\.ts$/,
    `import { syncFile } from './files.ts'
     export const syncSteadily = (path, write) => { write(); syncFile(path) }`,
  ],
] as const

/**
 * Each server has its own module state. Servers on SQLite have threads, too. Throws if an edit's text does not occur
 * exactly once in its file.
 */
export async function startHosts(count: number, edits: readonly Edit[] = [], hasThreads = true): Promise<Host[]> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'process.ts')],
    target: 'bun',
    throw: false,
    plugins: [
      {
        name: 'simulated',
        setup(build) {
          for (const name of ['thread.ts', 'child-process.ts'])
            build.onResolve({ filter: new RegExp(`/${name}$`) }, () => ({ path: join(import.meta.dir, name) }))
          build.onResolve({ filter: /^pg\/lib\/client\.js$/ }, () => ({
            path: join(import.meta.dir, 'postgres/driver.ts'),
          }))
          for (const [filter, contents] of STUBS) build.onLoad({ filter }, () => ({ contents, loader: 'ts' }))
          build.onLoad({ filter: /\/packages\/(service|cli)\/.*\.(ts|sql)$/ }, ({ path }) => {
            const own = edits.filter(([file]) => join(root, file) === path)
            const text = own.reduce(edited, readFileSync(path, 'utf8'))
            const contents = Object.entries(REPLACED).reduce(
              (contents, [name, by]) =>
                path.match(by.in)
                  ? contents.replaceAll(`from '${name}'`, `from '${join(import.meta.dir, by.file)}'`)
                  : contents,
              text,
            )
            return { contents, loader: path.endsWith('.sql') ? 'text' : 'ts' }
          })
        },
      },
    ],
  })
  if (!success) throw new AggregateError(logs)
  const path = temporaryFile('process.js')
  writeFileSync(path, await (outputs[0] as Blob).text())
  const hosts: Host[] = []
  for (let n = 0; n < count; n++) hosts.push(hasThreads ? await Host.start(path) : await Host.startHere(`${path}?${n}`))
  return hosts
}

/** Applies the edit to the text of its file. Throws if the edit's text does not occur exactly once. */
export function edited(text: string, [file, from, to]: Edit): string {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`${file} must have this exactly once: ${from}`)
  return `${before}${to}${after}`
}
