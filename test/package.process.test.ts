// The package as npm packs it, in folders that have nothing of the clone, laid out as each way of installing lays them out.
// `npm run check:npx` installs it for real, from the registry.

import { beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../package.json'
import { packages, plainNode } from './support/artefacts.ts'
import { copyOfClone, temporaryFile } from './support/files.ts'
import { copiesLog } from './support/logs.ts'
import { root, run, serve } from './support/process.ts'
import { project, SNIPPETS } from './support/snippets.ts'

/** The real Bun. What npm has as `bun.exe` until an install script ran is a few lines that `sh` runs, and that begin like this. */
const BUN = realpathSync(process.execPath)
const STUB = `echo "Error: Bun's postinstall script was not run." >&2\nexit 1\n`

let tarball: string
beforeAll(async () => {
  tarball = (await packages()).service
})

interface Manifest {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  os: string[]
  preferUnplugged: boolean
}

/** Unpacks the package into `modules`, and returns how npm and pnpm would link its command. */
function unpack(modules: string): string {
  const petstore = join(modules, 'petstore')
  mkdirSync(petstore, { recursive: true })
  Bun.spawnSync(['tar', '-xzf', tarball, '-C', petstore, '--strip-components=1'])
  const command = join(modules, '.bin/petstore')
  mkdirSync(dirname(command))
  symlinkSync('../petstore/bin/petstore', command)
  return command
}

function install(modules: string, path: string, bun: 'bun' | 'stub' | 'foreign'): void {
  mkdirSync(dirname(join(modules, path)), { recursive: true })
  if (bun === 'bun') symlinkSync(BUN, join(modules, path))
  else writeFileSync(join(modules, path), bun === 'stub' ? STUB : FOREIGN, { mode: 0o755 })
}

const folder = () => mkdtempSync(temporaryFile('install-'))
const BESIDE = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`
/** What a system does with a program for the other C library. */
const FOREIGN = '#!/none/ld-musl\n'
/** Each gives the command. */
const LAYOUTS = {
  npm() {
    const modules = join(folder(), 'node_modules')
    install(modules, `${BESIDE}/bin/bun`, 'bun')
    return [unpack(modules)]
  },
  pnpm() {
    const modules = join(folder(), 'node_modules/.pnpm/petstore@1/node_modules')
    install(modules, `${BESIDE}/bin/bun`, 'bun')
    return [unpack(modules)]
  },
  'Yarn 1, with Bun for both C libraries'() {
    const modules = join(folder(), 'node_modules')
    install(modules, `${BESIDE}/bin/bun`, 'bun')
    install(modules, `${BESIDE}-musl/bin/bun`, 'foreign')
    return [unpack(modules)]
  },
  "Yarn 4, with Plug'n'Play: run by Node, which alone knows where Bun is"() {
    const unplugged = folder()
    install(unplugged, `${BESIDE}/bin/bun`, 'bun')
    writeFileSync(join(unplugged, BESIDE, 'package.json'), '{}')
    return ['env', `NODE_PATH=${unplugged}`, 'node', unpack(join(folder(), 'node_modules'))]
  },
  'npm, beside the package bun, which has taken Bun over'() {
    const modules = join(folder(), 'node_modules')
    install(modules, 'bun/bin/bun.exe', 'bun')
    mkdirSync(join(modules, BESIDE, 'bin'), { recursive: true })
    return [unpack(modules)]
  },
  'npm --ignore-scripts, beside the package bun'() {
    const modules = join(folder(), 'node_modules')
    install(modules, 'bun/bin/bun.exe', 'stub')
    install(modules, `${BESIDE}/bin/bun`, 'bun')
    return [unpack(modules)]
  },
} satisfies Record<string, () => string[]>

describe('the package', () => {
  test('needs Bun alone, in its version; no script has to run when it is installed, and Windows is refused', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const { dependencies, optionalDependencies, os, preferUnplugged } = packageJson as Partial<Manifest>
    expect([dependencies, os, preferUnplugged]).toEqual([undefined, ['linux', 'darwin'], true])
    const versions = Object.entries(optionalDependencies ?? {})
    expect(versions.map(([name]) => name.replace('@oven/bun-', ''))).toEqual([
      'darwin-aarch64',
      'darwin-x64',
      'linux-aarch64',
      'linux-aarch64-musl',
      'linux-x64',
      'linux-x64-musl',
    ])
    for (const [name, version] of versions) {
      expect(version).toBe(packageJson.devDependencies.bun)
      expect(packages[`node_modules/${name}`]).toMatchObject({ version, optional: true })
      expect(packages[`node_modules/${name}`].hasInstallScript).toBeUndefined()
    }
  })

  test('has what was built, and nothing else', () => {
    const files = Bun.spawnSync(['tar', '-tzf', tarball]).stdout.toString().trim().split('\n')
    const rooms = new Set(
      files.map((file) =>
        file
          .split('/')
          .slice(1, 3)
          .join('/')
          .replace(/^(docs|deploy)\/.*/, '$1/'),
      ),
    )
    expect([...rooms].sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'Dockerfile',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/package.json',
      'bin/petstore',
      'deploy/',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/main.js',
      'dist/pages',
      'dist/testing',
      'docs/',
      'openapi.yaml',
      'package.json',
    ])
  })

  test('has its documentation: every link leads to a file of it, and petstore help shows the guides', async () => {
    const modules = join(folder(), 'node_modules')
    install(modules, `${BESIDE}/bin/bun`, 'bun')
    const command = [unpack(modules)]
    const home = join(modules, 'petstore')
    const dead = [...new Bun.Glob('**/*.md').scanSync(home)].flatMap((document) =>
      [...readFileSync(join(home, document), 'utf8').matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)]
        .filter(([, target = '']) => !existsSync(join(home, dirname(document), target)))
        .map(([link]) => `${document}: ${link}`),
    )
    expect(dead).toEqual([])
    const { status, stdout } = await run(['help', 'operations'], { command })
    expect([status, stdout]).toEqual([0, expect.stringContaining('Start and stop')])
  })

  test('has all that the service needs', async () => {
    const cwd = folder()
    const workers = process.platform === 'linux' ? ['--workers', '2'] : []
    const service = await serve(workers, { command: LAYOUTS.npm(), cwd })
    for (const page of ['/', '/docs']) {
      const html = await (await fetch(new URL(page, service.url))).text()
      const files = [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) expect((await fetch(new URL(file, service.url))).status).toBe(200)
    }
    expect((await fetch(new URL('/openapi.json', service.url))).status).toBe(200)
    await copiesLog(join(cwd, 'data/petstore.db'))
    expect(await service.stop()).toBe(0)
    expect(service.stderr()).not.toContain('worker ended')
  })

  test.each(Object.entries(LAYOUTS))('serves when installed by %s', async (_name, lay) => {
    const service = await serve(['--ephemeral'], { command: lay() })
    expect(await service.stop()).toBe(0)
  })

  test('says what is missing', async () => {
    const modules = join(folder(), 'node_modules')
    const command = [unpack(modules)]
    expect(await run(['--version'], { command })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore: there is no Bun beside \S+ for this system \(\w+ \w+\)/),
    })
  })

  test.each([
    ['npx', { npm_command: 'exec' }],
    ['Yarn 1', { npm_config_user_agent: 'yarn/1.22.22 npm/? node/v20.20.2 linux x64' }],
  ])('a signal to %s, which starts it in a shell, reaches the service', async (name, variables) => {
    const [command = ''] = LAYOUTS.npm()
    // The shell ends, and passes nothing on.
    const env: Record<string, string> = { ...variables, PATH: `${dirname(command)}:${process.env.PATH}` }
    const service = await serve([], { command: ['sh', '-c', '"$0" "$@"; true', command], env })
    // Only npx has petstore on its path, so a command is named that works without it.
    if (name === 'npx') expect(service.stdout()).toMatch(/^Another key {2}\S+\/petstore keys create /m)
    expect(await service.stop()).toBe(143)
    // All output has been read, so the service has ended, too.
    expect(service.stderr()).toContain('"msg":"stopping"')
  })
})

describe('a clone where npm runs no scripts', () => {
  // As with --ignore-scripts everywhere: nothing is built, and of Bun there is the stub.
  const clone = folder()
  const npm = (...args: string[]) =>
    run([], { command: ['npm', ...args, '--ignore-scripts', '--offline'], cwd: clone, env: { NO_COLOR: '1' } })
  beforeAll(() => {
    const manifest = ['package.json', 'package-lock.json', '.npmignore', 'README.md', 'LICENSE']
    copyOfClone(root, clone, [...manifest, 'bin', 'scripts', 'packages'])
    const modules = join(clone, 'node_modules')
    mkdirSync(modules)
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (!['.bin', 'bun'].includes(name)) symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
    install(modules, 'bun/bin/bun.exe', 'stub')
    install(modules, '.bin/bun', 'stub')
  })

  test('npm pack makes no package until everything is built', async () => {
    const archives = () => readdirSync(clone).filter((name) => name.endsWith('.tgz'))
    const unbuilt = await npm('pack')
    expect([unbuilt.status === 0, unbuilt.stderr]).toEqual([false, expect.stringContaining(join(clone, '.npmignore'))])
    expect(archives()).toEqual([])
    mkdirSync(join(clone, 'dist'))
    writeFileSync(join(clone, readlinkSync(join(root, '.npmignore'))), '')
    // As the recipe of the Compose example leaves it.
    mkdirSync(join(clone, 'deploy/secrets'), { recursive: true })
    for (const path of ['compose.yaml', 'secrets/key']) writeFileSync(join(clone, 'deploy', path), '')
    expect((await npm('pack')).status).toBe(0)
    const [archive = ''] = archives()
    const files = Bun.spawnSync(['tar', '-tzf', join(clone, archive)]).stdout.toString()
    expect([files.includes('deploy/compose.yaml'), files.includes('secrets')]).toEqual([true, false])
  })

  test('npm run build says what is missing', async () => {
    const { status, stderr } = await npm('run', 'build')
    expect([status, stderr]).toEqual([1, expect.stringContaining('Run: npm rebuild --ignore-scripts=false')])
  })
})

describe('petstore/testing', () => {
  let cwd: string
  beforeAll(() => {
    cwd = folder()
    install(join(cwd, 'node_modules'), `${BESIDE}/bin/bun`, 'bun')
    unpack(join(cwd, 'node_modules'))
    writeFileSync(join(cwd, 'package.json'), '{ "devDependencies": { "petstore": "*" } }')
    writeFileSync(join(cwd, 'program.test.mjs'), PROGRAM)
    writeFileSync(join(cwd, 'forgets.mjs'), FORGETS)
  })

  const deno = process.env.DENO ?? Bun.which('deno')
  const RUNNERS: [string, string[]][] = [
    ['node:test', ['node', '--test', 'program.test.mjs']],
    ['Bun', [BUN, 'test', '--timeout', '600000', 'program.test.mjs']],
    ['Deno', [deno ?? 'deno', 'test', '--no-check', '--allow-all', 'program.test.mjs']],
  ]
  for (const [name, command] of RUNNERS) {
    const here = name !== 'Deno' || deno !== null
    test.skipIf(!here)(`works in ${name}${here ? '' : ': skipped, there is no deno on the PATH'}`, async () => {
      // What is set for another service is not meant for this one.
      const result = await run([], {
        command,
        cwd,
        env: { PETSTORE_RATE_LIMIT: '1/m', PETSTORE_DATABASE: '/none/none' },
      })
      expect(`${result.stdout}${result.stderr}`).toContain('4 tests passed')
      expect(result.status).toBe(0)
    })
  }

  for (const [name, snippet] of Object.entries(SNIPPETS)) {
    if (snippet.packages || name === 'Deno') continue
    const { command } = snippet
    const here =
      name === 'pytest'
        ? Bun.spawnSync(['python3', '-m', 'pytest', '--version']).success
        : Bun.which(command[0] as string)
    test.skipIf(!here)(
      `as docs/testing.md prints it: ${name}${here ? '' : ': skipped, it is not installed'}`,
      async () => {
        const folder = project(snippet, join(cwd, 'node_modules/petstore'))
        const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
        const { status, stdout, stderr } = await run([], { command, cwd: folder, env: { PATH } })
        expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
      },
    )
  }

  test('can be loaded by require', async () => {
    writeFileSync(join(cwd, 'program.cjs'), `require('petstore/testing').startPetstore().then(({ stop }) => stop())`)
    expect(await run(['program.cjs'], { command: plainNode, cwd })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  for (const signal of [undefined, 'SIGKILL'] as const) {
    test(`the service ends with the process that started it: ${signal ?? 'without stop()'}`, async () => {
      const child = Bun.spawn(['node', 'forgets.mjs', signal ?? 'ends'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
      let url = ''
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        url = text.trim()
        if (signal) child.kill(signal)
      }
      await child.exited
      while (await answers(url)) await Bun.sleep(20)
    })
  }
})

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}

/** In the words that Node, Bun and Deno all know. */
const PROGRAM = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPetstore } from 'petstore/testing'

let passed = 0
let store
const pets = async () => (await fetch(store.url + '/pets?limit=100', headers())).json()
const headers = () => ({ headers: { Authorization: 'Bearer ' + store.apiKey, 'Content-Type': 'application/json' } })
const add = async (name = 'Rex') => (await fetch(store.url + '/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 7 }), ...headers() })).json()

test('starts empty', async () => {
  store = await startPetstore()
  assert.deepEqual(await pets(), [])
  passed++
})
test('reset empties it, and nothing of the old store is cached', async () => {
  const { url, apiKey } = store
  for (let round = 0; round < 20; round++) {
    assert.deepEqual(await pets(), [])
    // As many commits each time, and another name: nothing that was kept of the last store may be taken for this one's.
    assert.equal((await add('Rex ' + round)).id, 1)
    assert.deepEqual((await pets()).map(({ name }) => name), ['Rex ' + round])
    await store.reset()
  }
  assert.deepEqual([store.url, store.apiKey], [url, apiKey])
  passed++
})
test('starts with sample pets, also after a reset; two services share nothing', async () => {
  const other = store
  store = await startPetstore({ demo: true })
  const samples = await pets()
  assert.ok(samples.length > 10)
  await add()
  await store.reset()
  assert.deepEqual(await pets(), samples)
  await store.stop()
  store = other
  assert.deepEqual(await pets(), [])
  passed++
})
test('stop ends it', async () => {
  await store.stop()
  await assert.rejects(pets())
  await assert.rejects(store.reset(), /The petstore has ended/)
  console.log(++passed + ' tests passed')
})
`

const FORGETS = `
import { startPetstore } from 'petstore/testing'
const { url, reset } = await startPetstore()
await reset()
console.log(url)
if (process.argv[2] === 'SIGKILL') setInterval(() => {}, 1000)
`
