// Bundles and compresses the pages in memory, in 50 ms for the console and 0.6 s for the reference, so that a clone
// needs no build step. In the package and the executable, scripts/bundle-service.ts replaces this module with one that
// has prebuilt files.

import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { StaticFile } from './static-file.ts'

export interface Bundle {
  page: StaticFile
  /** By file name, which contains a content hash. */
  files: ReadonlyMap<string, StaticFile>
}

const PAGE = join(import.meta.dir, '../../../../page')

export function bundleConsole(): Promise<Bundle> {
  return bundle('src', 'console/')
}

/** Bundles our code. Serves the library unchanged; its script runs first. */
export async function bundleReference(): Promise<Bundle> {
  const script = brotliDecompressSync(await Bun.file(join(PAGE, 'reference/library/standalone.js.br')).bytes())
  const library = await StaticFile.of(script, 'text/javascript;charset=utf-8', 'immutable')
  const name = `scalar-${library.digest}.js`
  const { page, files } = await bundle('reference', 'docs/', (html) =>
    html.replace('<head>', `<head><script defer src="docs/${name}"></script>`),
  )
  return { page, files: new Map([...files, [name, library]]) }
}

/**
 * `folder` of packages/page has the page. Its scripts and styles are served under `publicPath`, relative to the page,
 * so that it also works behind a proxy that adds a path prefix.
 */
async function bundle(folder: string, publicPath: string, transform = (text: string) => text): Promise<Bundle> {
  const html = join(PAGE, folder, 'index.html')
  const hashed = '[name]-[hash].[ext]'
  const { outputs } = await Bun.build({
    entrypoints: [html],
    // By default, Bun would also read the one in the current directory.
    tsconfig: join(html, '../tsconfig.json'),
    target: 'browser',
    minify: true,
    splitting: true,
    // The scripts import each other from their own folder.
    publicPath: './',
    naming: { entry: '[name].[ext]', chunk: hashed, asset: hashed },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = new Map<string, StaticFile>()
  let page: StaticFile | undefined
  for (const output of outputs) {
    const { path, type } = output
    if (type.startsWith('text/html')) {
      const text = (await output.text()).replaceAll(/ (src|href)="\.\//g, ` $1="${publicPath}`)
      page = await StaticFile.of(transform(text), type, 'revalidated')
    } else files.set(path.slice(2), await StaticFile.of(new Uint8Array(await output.arrayBuffer()), type, 'immutable'))
  }
  if (!page) throw new Error(`bundling ${html} gave no page`)
  return { page, files }
}
