// `npm run build` writes the contents of the packages to dist/: the service as one script with the page's files, `petstore/testing`, and the
// client, which is a separate package.

import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json'
import { bundleService } from './bundle-service.ts'
import { NOTICES, notices } from './notices.ts'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')

// Keep dist/petstore, which `npm run build:executable` makes.
for (const name of ['main.js', 'pages', 'testing', 'petstore-client']) {
  rmSync(join(dist, name), { recursive: true, force: true })
}
await bundleService({ folder: dist })
compile('tsconfig.testing.json', join(dist, 'testing'))
await bundleTestingForRequire(join(dist, 'testing'))
compileClient(join(dist, 'petstore-client'))
writeFileSync(join(dist, NOTICES), notices())

/** A CommonJS version, which has no `import.meta`. */
async function bundleTestingForRequire(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: [join(root, 'packages/testing/testing.ts')],
    target: 'node',
    format: 'cjs',
    banner: `const moduleUrl = require('node:url').pathToFileURL(__filename).href`,
    define: { 'import.meta.url': 'moduleUrl' },
    outdir: folder,
    naming: 'testing.cjs',
  })
  copyFileSync(join(folder, 'testing.d.ts'), join(folder, 'testing.d.cts'))
}

/** The client's package: modules and declarations for `import` and `require`, without dependencies. */
function compileClient(folder: string): void {
  compile('tsconfig.client.json', folder)
  const commonjs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']
  compile('tsconfig.client.json', join(folder, 'cjs'), commonjs)
  writeFileSync(join(folder, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  const entry = (at: string) => ({ types: `./${at}/petstore.d.ts`, default: `./${at}/petstore.js` })
  const { config, private: kept, version, license } = packageJson
  const manifest = {
    name: config.clientName,
    private: kept,
    version,
    description: 'The typed client of the petstore. It has no dependencies.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { import: entry('client/src'), require: entry('cjs/client/src') },
      './package.json': './package.json',
    },
    // For resolvers that ignore `exports`.
    main: './cjs/client/src/petstore.js',
    types: './cjs/client/src/petstore.d.ts',
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(root, 'docs/clients.md'), join(folder, 'README.md'))
}

/** Modules and declarations. */
function compile(project: string, folder: string, options: readonly string[] = []): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { exitCode } = Bun.spawnSync([tsc, '-p', project, '--outDir', folder, ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (exitCode !== 0) process.exit(exitCode)
}
