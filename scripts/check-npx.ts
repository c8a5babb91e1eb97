// `npm run check:npx` installs the packages in empty folders with the package managers, empty caches and the registry. It checks that the
// service starts and gets signals, that `petstore/testing` works, and that the client has types and no dependencies. It is not in the suite,
// because it needs a network and about 500 MB. package.release.test.ts has the other layouts.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { packages } from '../test/support/artefacts.ts'
import { start } from '../test/support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-npx-'))
const MANAGERS = ['pnpm@12.21.0', '@yarnpkg/cli-dist@4.18.1']
const bin = (name: string, modules = join(folder, name)) => join(modules, 'node_modules/.bin', name)

interface Way {
  install: string[]
  /** The command `petstore`. */
  petstore: string[]
  files?: Record<string, string>
}

function ways(archive: string): Record<string, Way> {
  const petstore = ['node_modules/.bin/petstore']
  const [pnpm, yarn4] = [bin('pnpm'), bin('yarn', join(folder, 'cli-dist'))]
  return {
    npx: { install: ['npx', '--yes', archive, '--version'], petstore: ['npx', '--yes', archive] },
    npm: { install: ['npm', 'install', '--no-audit', archive], petstore },
    pnpm: { install: [pnpm, 'add', archive], petstore: [pnpm, 'exec', 'petstore'] },
    "Yarn 4, Plug'n'Play": {
      install: [yarn4, 'add', `petstore@${archive}`],
      petstore: [yarn4, 'petstore'],
      files: { 'yarn.lock': '' },
    },
    Bun: { install: [process.execPath, 'add', archive], petstore },
  }
}

const TESTING = `import { startPetstore } from 'petstore/testing'
const { url, apiKey, stop } = await startPetstore()
console.log((await fetch(url + '/pets', { headers: { Authorization: 'Bearer ' + apiKey } })).status)
await stop()
`

try {
  const { service, client } = await packages()
  for (const manager of MANAGERS) {
    const at = mkdirSync(join(folder, basename(manager).split('@')[0] as string), { recursive: true }) as string
    run(['npm', 'install', '--silent', '--no-audit', '--ignore-scripts', manager], at)
    // pnpm's package contains the program.
    run(['npm', 'rebuild', '--silent'], at)
  }
  for (const [name, way] of Object.entries(ways(`./${basename(service)}`))) await check(name, way, service)
  const project = mkdtempSync(join(folder, 'project-'))
  run(['npm', 'install', '--no-audit', '--silent', client], project)
  // The module resolutions of TypeScript and bundlers. The oldest, node10, does not find petstore/testing.
  for (const [archive, ...profile] of [[client], [service, '--profile', 'node16']] as [string, ...string[]][]) {
    run(['npx', '--yes', 'publint@0.3.25', 'run', '--strict', archive], folder)
    run(['npx', '--yes', '@arethetypeswrong/cli@0.18.5', archive, ...profile], folder)
    say(`${basename(archive)}: publint and attw find nothing`)
  }
  say(`The client's project has: ${readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function check(name: string, { install, petstore, files = {} }: Way, archive: string): Promise<void> {
  const cwd = mkdtempSync(join(folder, 'empty-'))
  copyFileSync(archive, join(cwd, basename(archive)))
  const json = '{ "name": "empty", "private": true, "type": "module" }'
  for (const [path, text] of Object.entries({ 'package.json': json, 'testing.js': TESTING, ...files })) {
    writeFileSync(join(cwd, path), text)
  }
  const [manager = ''] = install
  run(install, cwd, name)
  await expectServes(petstore, cwd, name)
  if (name !== 'npx') {
    const runner = name.includes('Plug') ? [manager, 'node'] : ['node']
    const status = run([...runner, 'testing.js'], cwd, name).trim()
    if (status !== '200') throw new Error(`${name}: petstore/testing returned ${status}`)
  }
  say(`${name}: installs, serves and ends with SIGTERM`)
}

async function expectServes(petstore: string[], cwd: string, name: string): Promise<void> {
  const service = await start(['serve', '--port', '0'], { command: petstore, cwd, env: environment(name) })
  const { status } = await fetch(new URL('/readyz', service.url))
  if (status !== 200) throw new Error(`${name}: /readyz returned ${status}`)
  // Resolves only after the service itself has exited and closed stderr.
  await service.stop()
  if (!service.stderr().includes('"msg":"stopping"')) throw new Error(`${name}: the signal did not reach the service.`)
}

/** Separate caches for each package manager. */
function environment(name: string): Record<string, string> {
  const cache = join(folder, 'caches', name)
  return {
    ...(process.env as Record<string, string>),
    npm_config_cache: cache,
    pnpm_config_store_dir: cache,
    npm_config_update_notifier: 'false',
    YARN_GLOBAL_FOLDER: cache,
    BUN_INSTALL_CACHE_DIR: cache,
  }
}

function run(command: string[], cwd: string, name = 'tools'): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env: environment(name) })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${exitCode}\n${stdout}${stderr}`)
  return stdout.toString()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
