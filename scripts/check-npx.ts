// `npm run check:npx`: installs the packages in empty folders, as users do, with their dependencies from the registry. Checks that npx
// runs the service, that signals reach it, and that the client has no dependencies. Prints sizes and times. Not in the
// suite, because it needs a network and some 40 MB.

import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const root = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'petstore-npx-'))
const environment = { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' }
try {
  const service = pack(root)
  const client = pack(join(root, 'dist/petstore-client'))
  const empty = mkdtempSync(join(folder, 'empty-'))
  copyFileSync(service, join(empty, basename(service)))
  for (const when of ['with an empty cache', 'again']) await serves(service, empty, when)
  const project = mkdtempSync(join(folder, 'project-'))
  run(['npm', 'install', '--no-audit', '--silent', client], project)
  say(`The client's project has: ${readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function pack(from: string): string {
  const path = join(folder, run(['npm', 'pack', '--silent', '--pack-destination', folder], from).trim())
  say(`${basename(path)}: ${(statSync(path).size / 1e3).toFixed(0)} kB`)
  return path
}

async function serves(archive: string, cwd: string, when: string): Promise<void> {
  const startedAt = performance.now()
  const npx = Bun.spawn(['npx', '--yes', `./${basename(archive)}`, 'serve', '--port', '0'], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = npx.stderr.text()
  let output = ''
  let url: string | undefined
  for await (const text of npx.stdout.pipeThrough(new TextDecoderStream())) {
    output += text
    url = /listening on (\S+)\n/.exec(output)?.[1]
    if (url) break
  }
  if (!url) throw new Error(`npx did not serve: ${await log}`)
  const { status } = await fetch(new URL('/readyz', url))
  say(`npx ${when}: ${status} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  npx.kill('SIGTERM')
  // Standard error closes only when the service itself has ended.
  if (!(await log).includes('"msg":"stopping"')) throw new Error('The signal did not reach the service.')
}

function run(command: string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env: environment })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${exitCode}\n${stderr}`)
  return stdout.toString()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
