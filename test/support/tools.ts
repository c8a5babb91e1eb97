// Programs that tests run to their end, and tools that only one test uses: these are in a folder of their own with a lock file, apart from
// the project's packages, and installed by the test.

import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './process.ts'

/**
 * Installs what the folder's lock file names, unless it is installed already: with Bun, which reads npm's lock file and takes a tenth
 * of npm's processor time. No package's own script is run. Test files that need tools at the same time wait for one another. The packages
 * lie in those of the clone, and the folder has a link: what searches or copies the tests meanwhile does not come upon them.
 */
export async function installTools(folder: string): Promise<void> {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const home = join(root, 'node_modules/.tools', basename(folder))
  const [modules, installed] = [join(folder, 'node_modules'), join(home, 'installed')]
  const isInstalled = () => existsSync(installed) && readFileSync(installed, 'utf8') === lock && existsSync(modules)
  if (isInstalled()) return
  using _turn = await takeTurn()
  if (isInstalled()) return
  for (const path of [modules, home]) rmSync(path, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(folder, name), join(home, name))
  await runTool([process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts', '--silent'], home)
  symlinkSync(join(home, 'node_modules'), modules)
  writeFileSync(installed, lock)
}

/** Resolves when no other process installs tools. The lock is a database's, since that ends with the process that held it. */
async function takeTurn(): Promise<Database> {
  const database = new Database(join(root, 'node_modules/.installing-tools'))
  for (;;) {
    try {
      database.run('BEGIN EXCLUSIVE')
      return database
    } catch {
      await Bun.sleep(100)
    }
  }
}

/** What the command prints. Rejects with all that it said when it fails. */
export async function runTool(command: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status}\n${out}${err}`)
  return out
}
