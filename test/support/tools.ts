// Programs that tests run to their end, and tools that only one test uses: these are in a folder of their own with a lock file, apart from
// the project's packages, and installed by the test.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs what the folder's lock file names, unless it is installed already. No package's own script is run. */
export async function installTools(folder: string): Promise<void> {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules/.installed')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return
  await runTool(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], folder)
  writeFileSync(installed, lock)
}

/** What the command prints. Rejects with all that it said when it fails. */
export async function runTool(command: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${status}\n${out}${err}`)
  return out
}
