// The npm package in the layout of each package manager. `npm run check:npx` installs it from a registry.

import { beforeAll, describe, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../package.json'
import { BESIDE, folder, install, tarball, unpack } from './support/installed.ts'
import { copiesLog } from './support/logs.ts'
import { filesOf } from './support/page-files.ts'
import { root, run, serve } from './support/process.ts'

/** Puts Bun into a folder of modules, by path. */
const layout = (files: Record<string, Parameters<typeof install>[2]>, modules = join(folder(), 'node_modules')) => {
  for (const [path, bun] of Object.entries(files)) install(modules, path, bun)
  return modules
}
const BESIDE_BUN = `${BESIDE}/bin/bun`
const laid = (...of: Parameters<typeof layout>) => [unpack(layout(...of))]
/** Each returns the command. */
const LAYOUTS = {
  npm: () => laid({ [BESIDE_BUN]: 'bun' }),
  pnpm: () => laid({ [BESIDE_BUN]: 'bun' }, join(folder(), 'node_modules/.pnpm/petstore@1/node_modules')),
  'Yarn 1, with Bun for both C libraries': () => laid({ [BESIDE_BUN]: 'bun', [`${BESIDE}-musl/bin/bun`]: 'foreign' }),
  "Yarn 4 with Plug'n'Play, run by Node, which resolves Bun"() {
    const unplugged = layout({ [BESIDE_BUN]: 'bun' }, folder())
    fs.writeFileSync(join(unplugged, BESIDE, 'package.json'), '{}')
    return ['env', `NODE_PATH=${unplugged}`, 'node', unpack(join(folder(), 'node_modules'))]
  },
  'npm, next to the package bun, which has moved the binary'() {
    const modules = layout({ 'bun/bin/bun.exe': 'bun' })
    fs.mkdirSync(join(modules, BESIDE, 'bin'), { recursive: true })
    return [unpack(modules)]
  },
  'npm --ignore-scripts, next to the package bun': () => laid({ 'bun/bin/bun.exe': 'stub', [BESIDE_BUN]: 'bun' }),
} satisfies Record<string, () => string[]>

test('the package depends only on Bun, needs no install script, and excludes Windows', () => {
  const { packages } = JSON.parse(fs.readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { optionalDependencies, os, preferUnplugged } = packageJson
  expect(['dependencies' in packageJson, os, preferUnplugged]).toEqual([false, ['linux', 'darwin'], true])
  const versions = Object.entries(optionalDependencies)
  const systems = 'darwin-aarch64 darwin-x64 linux-aarch64 linux-aarch64-musl linux-x64 linux-x64-musl'
  expect(versions.map(([name]) => name.replace('@oven/bun-', '')).join(' ')).toBe(systems)
  for (const [name, version] of versions) {
    expect(version).toBe(packageJson.devDependencies.bun)
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, optional: true })
    expect(packages[`node_modules/${name}`].hasInstallScript).toBeUndefined()
  }
})

test('the package has only the built files', () => {
  const files = Bun.spawnSync(['tar', '-tzf', tarball]).stdout.toString().trim().split('\n')
  const placeOf = (file: string) => file.replace(/^[^/]*\/((?:docs|deploy)\/|[^/]*(?:\/[^/]*)?).*/, '$1')
  const ALL = [
    'CHANGELOG.md CONTRIBUTING.md Dockerfile LICENSE README.md SECURITY.md bin/package.json bin/petstore deploy/',
    'dist/THIRD-PARTY-NOTICES.txt dist/main.js dist/pages dist/testing docs/ openapi.yaml package.json',
  ]
  expect([...new Set(files.map(placeOf))].sort().join(' ')).toBe(ALL.join(' '))
})

test('the package has its documentation, without dead links, and petstore help prints the address of a page', async () => {
  const modules = layout({ [BESIDE_BUN]: 'bun' })
  const command = [unpack(modules)]
  const home = join(modules, 'petstore')
  const dead = [...new Bun.Glob('**/*.md').scanSync(home)].flatMap((document) =>
    [...fs.readFileSync(join(home, document), 'utf8').matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)]
      .filter(([, target = '']) => !fs.existsSync(join(home, dirname(document), target)))
      .map(([link]) => `${document}: ${link}`),
  )
  expect(dead).toEqual([])
  const { status, stdout } = await run(['help', 'operations'], { command })
  expect([status, stdout]).toEqual([0, `${fs.realpathSync(join(home, 'docs/operations.md'))}\n`])
})

test('the package has all files of the service', async () => {
  const cwd = folder()
  const workers = process.platform === 'linux' ? ['--workers', '2'] : []
  const service = await serve(workers, { command: LAYOUTS.npm(), cwd })
  for (const page of ['/', '/docs']) {
    const html = await (await fetch(new URL(page, service.url))).text()
    const files = filesOf(html)
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) expect([file, (await fetch(new URL(file, service.url))).status]).toEqual([file, 200])
  }
  expect((await fetch(new URL('/openapi.json', service.url))).status).toBe(200)
  await copiesLog(join(cwd, 'data/petstore.db'))
  expect(await service.stop()).toBe(0)
  expect(service.stderr()).not.toContain('worker ended')
})

test.each(Object.entries(LAYOUTS))('the package serves when installed by %s', async (_name, lay) => {
  const service = await serve(['--ephemeral'], { command: lay() })
  expect(await service.stop()).toBe(0)
})

test('the package reports that Bun is missing', async () => {
  const stderr = expect.stringMatching(/^petstore: there is no Bun beside \S+ for this system \(\w+ \w+\)/)
  expect(await run(['--version'], { command: [unpack(layout({}))] })).toMatchObject({ status: 1, stderr })
})

test.each([
  ['npx', { npm_command: 'exec' }],
  ['Yarn 1', { npm_config_user_agent: 'yarn/1.22.22 npm/? node/v20.20.2 linux x64' }],
])('a signal to %s reaches the service through its shell', async (name, variables) => {
  // npx records the names of its packages.
  const [modules, cwd] = [layout({ [BESIDE_BUN]: 'bun' }, join(folder(), '_npx/0123/node_modules')), folder()]
  fs.writeFileSync(join(modules, '../package.json'), '{"_npx":{"packages":["./petstore.tgz"]}}')
  fs.writeFileSync(join(cwd, 'petstore.tgz'), '')
  const command = unpack(modules)
  // The shell ends without forwarding the signal.
  const env: Record<string, string> = { ...variables, PATH: `${dirname(command)}:${process.env.PATH}` }
  const service = await serve([], { command: ['sh', '-c', '"$0" "$@"; true', command], env, cwd })
  // npx is the only one with petstore on its path, so the service prints a command that works without it.
  if (name === 'npx') expect(service.stdout()).toMatch(/^Another key {2}npx \.\/petstore\.tgz keys create /m)
  expect(await service.stop()).toBe(143)
  // stop() has read all output, so the service has ended, too.
  expect(service.stderr()).toContain('"signal":"SIGTERM"')
})

describe('a clone where npm runs no scripts', () => {
  // Nothing is built, and Bun is only the stub.
  const clone = folder()
  const npm = (...args: string[]) =>
    run([], { command: ['npm', ...args, '--ignore-scripts', '--offline'], cwd: clone, env: { NO_COLOR: '1' } })
  beforeAll(() => {
    const manifest = ['package.json', 'package-lock.json', 'README.md', 'LICENSE']
    for (const name of [...manifest, 'bin', 'scripts', 'packages']) {
      fs.cpSync(join(root, name), join(clone, name), { recursive: true, verbatimSymlinks: true })
    }
    const modules = join(clone, 'node_modules')
    fs.mkdirSync(modules)
    for (const name of fs.readdirSync(join(root, 'node_modules'))) {
      if (!['.bin', 'bun'].includes(name)) fs.symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
    install(modules, 'bun/bin/bun.exe', 'stub')
    install(modules, '.bin/bun', 'stub')
  })

  test('npm pack leaves out secrets, and the command of an unbuilt package says how to build it', async () => {
    // The files of the Compose recipe.
    fs.mkdirSync(join(clone, 'deploy/secrets'), { recursive: true })
    for (const path of ['compose.yaml', 'secrets/key']) fs.writeFileSync(join(clone, 'deploy', path), '')
    expect((await npm('pack')).status).toBe(0)
    const [archive = ''] = fs.readdirSync(clone).filter((name) => name.endsWith('.tgz'))
    const unpacked = folder()
    const files = Bun.spawnSync(['tar', '-xvzf', join(clone, archive), '-C', unpacked]).stdout.toString()
    expect([files.includes('deploy/compose.yaml'), files.includes('secrets')]).toEqual([true, false])
    const stderr = expect.stringContaining('run: npm run build && npm pack')
    const command = [join(unpacked, 'package/bin/petstore')]
    expect(await run(['--version'], { command })).toMatchObject({ status: 1, stderr })
  })

  test('npm run build explains what is missing', async () => {
    const { status, stderr } = await npm('run', 'build')
    expect([status, stderr]).toEqual([1, expect.stringContaining('Run: npm rebuild --ignore-scripts=false')])
  })
})
