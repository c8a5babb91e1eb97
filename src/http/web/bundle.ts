// A page of ours → files for browsers, bundled in memory: some 20 ms, so that an installed service has nothing to build.

import { join } from 'node:path'
import { StaticFile } from './static-file.ts'

export interface Bundle {
  page: StaticFile
  /** By name. A name holds the hash of the content. */
  files: ReadonlyMap<string, StaticFile>
}

/** `html` is a file that names its scripts and styles; they are to be served below `publicPath`. */
export async function bundle(
  html: string,
  publicPath: string,
  /** Changes the page's text. */
  finish: (text: string) => string = (text) => text,
): Promise<Bundle> {
  const hashed = '[name]-[hash].[ext]'
  const { outputs } = await Bun.build({
    entrypoints: [html],
    // Its own. Bun would look at that of the current folder, too.
    tsconfig: join(html, '../tsconfig.json'),
    target: 'browser',
    minify: true,
    publicPath,
    naming: { entry: '[name].[ext]', chunk: hashed, asset: hashed },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = new Map<string, StaticFile>()
  let page: StaticFile | undefined
  for (const output of outputs) {
    if (output.type.startsWith('text/html')) {
      page = new StaticFile(new TextEncoder().encode(finish(await output.text())), output.type, 'revalidated')
    } else {
      files.set(
        output.path.replace('./', ''),
        new StaticFile(new Uint8Array(await output.arrayBuffer()), output.type, 'immutable'),
      )
    }
  }
  if (!page) throw new Error(`nothing was built from ${html}`)
  return { page, files }
}
