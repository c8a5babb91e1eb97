// Bundles the service and its command line into one script or one executable. Both contain the page's files; only a clone bundles the page at
// run time.

import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Bundle, bundleConsole, bundleReference } from '../packages/service/src/http/web/bundle.ts'
import type { StaticFile } from '../packages/service/src/http/web/static-file.ts'

const root = join(import.meta.dir, '..')
const PAGES_MODULE = join(root, 'packages/service/src/http/web/bundle.ts')

/** Names of the systems that have an executable. */
export const TARGETS: Record<string, Bun.Build.CompileTarget> = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-arm64-musl',
  'macos-x64': 'bun-darwin-x64',
  'macos-arm64': 'bun-darwin-arm64',
}

/** Bundles into a folder with `main.js` and the page's files, for Bun, or into an executable. Without a target, it is for this machine. */
export type Output = { folder: string } | { executable: string; target: Bun.Build.CompileTarget | undefined }

export async function bundleService(output: Output): Promise<void> {
  if ('folder' in output) return bundle({ outdir: output.folder })
  const { target, executable } = output
  // A separate folder, because the runtime writes source maps next to the executable, which contains them anyway.
  const folder = mkdtempSync(`${executable}.`)
  try {
    const outfile = join(folder, basename(executable))
    const compile = { outfile, ...NO_FILES, ...(target && { target }) }
    await bundle({ format: 'esm', bytecode: true, sourcemap: 'inline', compile })
    renameSync(outfile, executable)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Like bin/petstore, the program reads no files of the current folder. */
const NO_FILES = {
  ...{ autoloadDotenv: false, autoloadBunfig: false },
  ...{ autoloadTsconfig: false, autoloadPackageJson: false },
}

async function bundle(options: Partial<Bun.BuildConfig>): Promise<void> {
  const pages = pagesModule({ bundleConsole: await bundleConsole(), bundleReference: await bundleReference() })
  await Bun.build({
    entrypoints: [join(root, 'packages/cli/src/main.ts')],
    tsconfig: join(root, 'tsconfig.json'),
    target: 'bun',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { asset: 'pages/[name].[ext]' },
    plugins: [
      {
        name: 'pages',
        setup(build) {
          build.onLoad({ filter: /\/bundle\.ts$/ }, ({ path }) =>
            path === PAGES_MODULE ? { contents: pages.module, loader: 'ts' } : undefined,
          )
          // Virtual files, because paths of temporary files would make every build different.
          build.onResolve({ filter: /^page:/ }, ({ path }) => ({ path: path.slice('page:'.length), namespace: 'page' }))
          build.onLoad({ filter: /./, namespace: 'page' }, async ({ path }) => ({
            contents: await (pages.files.get(path) as Blob).bytes(),
            loader: 'file',
          }))
        },
      },
    ],
    ...options,
  } as Bun.BuildConfig)
}

/** The page's files, and a module that reads them, which replaces packages/service/src/http/web/bundle.ts. */
function pagesModule(bundles: Record<string, Bundle>): { module: string; files: Map<string, Blob> } {
  const files = new Map<string, Blob>()
  const read = (name: string, { type, caching, bodies: { identity, br, gzip } }: StaticFile): string => {
    const variables = Object.entries({ '': identity, '.br': br, '.gz': gzip }).map(([ending, content]) => {
      return `file${files.set(name + ending, content).size - 1}`
    })
    return `await read(${JSON.stringify(type)}, ${JSON.stringify(caching)}, ${variables})`
  }
  const functions = Object.entries(bundles).map(([name, { page, files }]) => {
    const entries = [...files].map(([fileName, file]) => `[${JSON.stringify(fileName)}, ${read(fileName, file)}]`)
    return `export async function ${name}() {
  return { page: ${read(`${name}.html`, page)}, files: new Map([${entries}]) }
}`
  })
  const imports = [...files.keys()].map((name, n) => {
    return `import file${n} from ${JSON.stringify(`page:${name}`)} with { type: 'file' }`
  })
  const module = `${[...imports, ...functions].join('\n')}
import { resolve } from 'node:path'
import { StaticFile } from './static-file.ts'

async function read(type, caching, ...paths) {
  return new StaticFile(type, caching, ...(await Promise.all(paths.map((path) => Bun.file(resolve(import.meta.dir, path)).bytes()))))
}
`
  return { module, files }
}
