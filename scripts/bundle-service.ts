// Bundles the service and its command line into one script, or into one executable that needs nothing else. Both carry the pages
// as files; only a clone bundles them at run time.

import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Bundle, bundleConsole, bundleReference } from '../packages/service/src/http/web/bundle.ts'
import { compressed, type StaticFile } from '../packages/service/src/http/web/static-file.ts'

const root = join(import.meta.dir, '..')
const PAGES_MODULE = join(root, 'packages/service/src/http/web/bundle.ts')

/** The systems that have an executable, by how people name them. */
export const TARGETS: Record<string, Bun.Build.CompileTarget> = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-arm64-musl',
  'macos-x64': 'bun-darwin-x64',
  'macos-arm64': 'bun-darwin-arm64',
}

/** `main.js` and the pages' files in a folder, for Bun; or one file. Without a target it is for this machine. */
export type Output = { folder: string } | { executable: string; target: Bun.Build.CompileTarget | undefined }

export async function bundleService(output: Output): Promise<void> {
  if ('folder' in output) return bundle(output)
  // In a folder of its own: the runtime leaves a source map beside it for each file, which the executable has inside, too.
  const folder = mkdtempSync(`${output.executable}.`)
  try {
    const built = join(folder, basename(output.executable))
    await bundle({ ...output, executable: built })
    renameSync(built, output.executable)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function bundle(output: Output): Promise<void> {
  const pages = await pagesModule({ bundleConsole: await bundleConsole(), bundleReference: await bundleReference() })
  await Bun.build({
    entrypoints: [join(root, 'packages/service/src/cli/main.ts'), ...('executable' in output ? guides() : [])],
    loader: { '.md': 'file' },
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
          // Files that are on no disk: the path of a temporary one would make each build another one.
          build.onResolve({ filter: /^page:/ }, ({ path }) => ({ path: path.slice('page:'.length), namespace: 'page' }))
          build.onLoad({ filter: /./, namespace: 'page' }, async ({ path }) => ({
            contents: await (pages.files.get(path) as Blob).bytes(),
            loader: 'file',
          }))
        },
      },
    ],
    ...('folder' in output
      ? { outdir: output.folder }
      : { format: 'esm', bytecode: true, sourcemap: 'inline', compile: executable(output) }),
  })
}

/** For `petstore help`. The package has them as files. */
function guides(): string[] {
  return [...new Bun.Glob('docs/*.md').scanSync({ cwd: root, absolute: true })].sort()
}

/** The program reads no files of the current folder, as with bin/petstore. */
function executable({ executable, target }: { executable: string; target: Bun.Build.CompileTarget | undefined }) {
  return {
    outfile: executable,
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
    ...(target ? { target } : {}),
  }
}

/**
 * A module with the same functions as packages/service/src/http/web/bundle.ts, which read the pages' files again, and these files: each as it is and in every
 * encoding, so that no service compresses.
 */
async function pagesModule(bundles: Record<string, Bundle>): Promise<{ module: string; files: Map<string, Blob> }> {
  const imports: string[] = []
  const contents = new Map<string, Blob>()
  const carry = (fileName: string, content: Blob): string => {
    contents.set(fileName, content)
    const variable = `file${imports.length}`
    imports.push(`import ${variable} from ${JSON.stringify(`page:${fileName}`)} with { type: 'file' }\n`)
    return variable
  }
  const read = async (fileName: string, { content, type, caching }: StaticFile): Promise<string> => {
    const { br, gzip } = await compressed(content)
    const paths = [carry(fileName, content), carry(`${fileName}.br`, br), carry(`${fileName}.gz`, gzip)]
    return `await read([${paths}], ${JSON.stringify(type)}, ${JSON.stringify(caching)})`
  }
  let functions = ''
  for (const [name, { page, files }] of Object.entries(bundles)) {
    const entries: string[] = []
    for (const [fileName, file] of files) entries.push(`[${JSON.stringify(fileName)}, ${await read(fileName, file)}]`)
    functions += `export async function ${name}() {
  return { page: ${await read(`${name}.html`, page)}, files: new Map([${entries.join(', ')}]) }
}
`
  }
  const module = `${imports.join('')}
import { resolve } from 'node:path'
import { StaticFile } from './static-file.ts'

${functions}
async function read(paths, type, caching) {
  const [content, br, gzip] = await Promise.all(paths.map((path) => Bun.file(resolve(import.meta.dir, path)).bytes()))
  return new StaticFile(content, type, caching, { br: new Blob([br]), gzip: new Blob([gzip]) })
}
`
  return { module, files: contents }
}
