// Bundles a page for browsers, in memory. It takes some 20 ms, so an installed service needs no build step.

import { join } from 'node:path'
import { StaticFile } from './static-file.ts'

export interface Bundle {
  page: StaticFile
  /** By file name, which contains a hash of the content. */
  files: ReadonlyMap<string, StaticFile>
}

/** `html` is the path of a page; its scripts and styles are served under `publicPath`. */
export async function bundle(
  html: string,
  publicPath: string,
  /** Applied to the page's HTML. */
  transform: (text: string) => string = (text) => text,
): Promise<Bundle> {
  const hashed = '[name]-[hash].[ext]'
  const { outputs } = await Bun.build({
    entrypoints: [html],
    // The page's own. By default, Bun also reads the one in the current directory.
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
      page = new StaticFile(transform(await output.text()), output.type, 'revalidated')
    } else {
      files.set(
        output.path.replace('./', ''),
        new StaticFile(new Uint8Array(await output.arrayBuffer()), output.type, 'immutable'),
      )
    }
  }
  if (!page) throw new Error(`bundling ${html} gave no page`)
  return { page, files }
}
