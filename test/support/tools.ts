// Installs tools of test/tools/, which few tests need, and runs programs.

import { Database } from 'bun:sqlite'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'
import { until } from './until.ts'

const HOME = join(root, 'node_modules/.tools')
const SOURCE = join(root, 'test/tools')
/** Longer than an installation takes. */
const INSTALL_MS_MAX = 600_000

/**
 * Installs a group of test/tools/ once, without running install scripts, and returns its node_modules. With `folder`,
 * links them as the folder's node_modules. Only one process installs at a time.
 */
export async function installTools(group: string, folder?: string): Promise<string> {
  const modules = join(HOME, group, 'node_modules')
  const [lock, copy, installed] = [join(SOURCE, 'bun.lock'), join(HOME, 'bun.lock'), join(HOME, group, 'installed')]
  const isCurrent = () => existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(lock, 'utf8')
  const isInstalled = () => isCurrent() && existsSync(installed)
  using _turn = isInstalled() ? undefined : await takeTurn()
  if (!isInstalled()) {
    if (!isCurrent()) rmSync(HOME, { recursive: true, force: true })
    cpSync(SOURCE, HOME, { recursive: true })
    const flags = ['--frozen-lockfile', '--ignore-scripts', '--silent', '--filter', `./${group}`]
    await runTool([process.execPath, 'install', ...flags], HOME)
    writeFileSync(installed, '')
  }
  const link = folder && join(folder, 'node_modules')
  if (link && !existsSync(link)) {
    rmSync(link, { force: true })
    symlinkSync(modules, link)
  }
  return modules
}

/**
 * Resolves when no other process installs tools. The lock is in a database, so it ends with the process that holds it.
 */
async function takeTurn(): Promise<Database> {
  const database = new Database(join(root, 'node_modules/.installing-tools'))
  const taken = () => {
    try {
      database.run('BEGIN EXCLUSIVE')
      return database
    } catch {
      return undefined
    }
  }
  return until('no other process installs tools', taken, { ms: INSTALL_MS_MAX, everyMs: 100 })
}

/** Runs a command, and resolves with its standard output. Rejects with all its output if it fails. */
export async function runTool(command: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status}\n${out}${err}`)
  return out
}
