// Bundles and compresses the pages for browsers, in memory: 50 ms for the console and 0.6 s for the reference, so a clone needs no
// build step. The package and the executable have the results as files, and another module in the place of this one
// (scripts/bundle-service.ts).

import { dirname, join } from 'node:path'
import { StaticFile } from './static-file.ts'

export interface Bundle {
  page: StaticFile
  /** By file name, which contains a hash of the content. */
  files: ReadonlyMap<string, StaticFile>
}

/**
 * Has the browser's part of @scalar/api-reference in one file; @scalar/api-reference itself would add 270 packages. Nothing else of
 * it is used: `overrides` in package.json puts a small one of its dependencies in the place of those that bring 20 more.
 */
const SCALAR = '@scalar/fastify-api-reference'

export function bundleConsole(): Promise<Bundle> {
  return bundle('src', 'console/')
}

/** Our own code is bundled. The library is served unchanged, and its script runs first. */
export async function bundleReference(): Promise<Bundle> {
  const script = join(dirname(Bun.resolveSync(SCALAR, import.meta.dir)), 'js', 'standalone.js')
  const library = await StaticFile.of(await Bun.file(script).bytes(), 'text/javascript;charset=utf-8', 'immutable')
  const name = `scalar-${library.digest}.js`
  const { page, files } = await bundle('reference', 'docs/', (html) =>
    html.replace('<head>', `<head><script defer src="docs/${name}"></script>`),
  )
  return { page, files: new Map([...files, [name, library]]) }
}

/**
 * `folder` of the package of the pages has the page; its scripts and styles are served under `publicPath`, which is relative to the page: so it is right below any path
 * that a proxy adds.
 */
async function bundle(
  folder: string,
  publicPath: string,
  /** Applied to the page's HTML. */
  transform: (text: string) => string = (text) => text,
): Promise<Bundle> {
  const html = join(import.meta.dir, '../../../../page', folder, 'index.html')
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
    const { path, type } = output
    if (type.startsWith('text/html')) page = await StaticFile.of(transform(await output.text()), type, 'revalidated')
    else files.set(path.slice(2), await StaticFile.of(new Uint8Array(await output.arrayBuffer()), type, 'immutable'))
  }
  if (!page) throw new Error(`bundling ${html} gave no page`)
  return { page, files }
}
