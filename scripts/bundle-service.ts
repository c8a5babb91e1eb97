// Bundles the service and its command line into one script, or into one executable that needs nothing else. Both carry the pages
// as files; only a clone bundles them at run time.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bundle, bundleConsole, bundleReference } from '../src/http/web/bundle.ts'
import type { StaticFile } from '../src/http/web/static-file.ts'

const root = join(import.meta.dir, '..')
const PAGES_MODULE = join(root, 'src/http/web/bundle.ts')

/** `main.js` and the pages' files in a folder, for Bun; or one file. Without a target it is for this machine. */
export type Output = { folder: string } | { executable: string; target: Bun.Build.CompileTarget | undefined }

export async function bundleService(output: Output): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'petstore-build-'))
  try {
    const pages = await pagesModule(temporary, {
      bundleConsole: await bundleConsole(),
      bundleReference: await bundleReference(),
    })
    await Bun.build({
      entrypoints: [join(root, 'src/cli/main.ts'), ...('executable' in output ? guides() : [])],
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
              path === PAGES_MODULE ? { contents: pages, loader: 'ts' } : undefined,
            )
          },
        },
      ],
      ...('folder' in output
        ? { outdir: output.folder }
        : { format: 'esm', bytecode: true, sourcemap: 'inline', compile: executable(output) }),
    })
    // The executable has it inside, too.
    if ('executable' in output) rmSync(`${output.executable}.map`, { force: true })
  } finally {
    rmSync(temporary, { recursive: true })
  }
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

/** Writes the pages' files. Returns a module with the same functions as src/http/web/bundle.ts, which read them again. */
async function pagesModule(folder: string, bundles: Record<string, Bundle>): Promise<string> {
  const imports: string[] = []
  const writing: Promise<number>[] = []
  const functions = Object.entries(bundles).map(([name, { page, files }]) => {
    const read = (fileName: string, { content, type, caching }: StaticFile): string => {
      const path = join(folder, fileName)
      writing.push(Bun.write(path, content))
      const variable = `file${imports.length}`
      imports.push(`import ${variable} from ${JSON.stringify(path)} with { type: 'file' }\n`)
      return `await read(${variable}, ${JSON.stringify(type)}, ${JSON.stringify(caching)})`
    }
    const entries = [...files].map(([fileName, file]) => `[${JSON.stringify(fileName)}, ${read(fileName, file)}]`)
    return `export async function ${name}() {
  return { page: ${read(`${name}.html`, page)}, files: new Map([${entries.join(', ')}]) }
}
`
  })
  await Promise.all(writing)
  return `${imports.join('')}
import { resolve } from 'node:path'
import { StaticFile } from './static-file.ts'

${functions.join('\n')}
async function read(path, type, caching) {
  return new StaticFile(await Bun.file(resolve(import.meta.dir, path)).bytes(), type, caching)
}
`
}
