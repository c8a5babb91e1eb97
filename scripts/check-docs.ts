// `npm run check:docs` runs every example of docs/testing.md in its test runner, with the packed package and runners from the registry. The
// suite runs only the runners that are installed anyway.

import { join } from 'node:path'
import { packages as packed } from '../test/support/artefacts.ts'
import { project, SNIPPETS } from '../test/support/snippets.ts'

const { service: archive } = await packed()
let failed = 0
for (const [name, snippet] of Object.entries(SNIPPETS)) {
  const { command, env = {}, packages = [] } = snippet
  if (Bun.which(command[0] as string) === null) {
    process.stdout.write(`skipped: ${name}, ${command[0]} missing\n`)
    continue
  }
  const cwd = project(snippet)
  const bin = join(cwd, 'node_modules/.bin')
  const run = (words: string[], more = {}) =>
    Bun.spawnSync(words, { cwd, env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...more } })
  const steps = [
    () => run(['npm', 'install', '--silent', '--no-audit', '--save-dev', archive, ...packages]),
    () => run(command, env),
  ]
  const wrong = steps.map((step) => step()).find(({ exitCode }) => exitCode !== 0)
  if (wrong) failed++
  process.stdout.write(`${wrong ? `FAILED: ${name}\n${wrong.stdout}${wrong.stderr}` : `ok: ${name}`}\n`)
}
process.exit(failed > 0 ? 1 : 0)
