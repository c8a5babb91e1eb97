// `npm run build:executable` makes dist/petstore, a file that runs without Node, npm or Bun, and the third-party notices next to it.
// `-- --target linux-x64-musl` builds for another system. `--outfile` names another file.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleService, TARGETS } from './bundle-service.ts'
import { NOTICES, notices } from './notices.ts'

const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } })
const { target, outfile } = values
if (target !== undefined && !(target in TARGETS)) {
  process.stderr.write(`Unknown target ${target}. Targets: ${Object.keys(TARGETS).join(', ')}.\n`)
  process.exit(2)
}
const executable = resolve(outfile ?? join(import.meta.dir, '../dist', target ? `petstore-${target}` : 'petstore'))
mkdirSync(dirname(executable), { recursive: true })
try {
  await bundleService({ executable, target: TARGETS[target ?? ''] })
  writeFileSync(join(dirname(executable), NOTICES), notices())
} catch (error) {
  const reasons = error instanceof AggregateError ? error.errors : [error]
  process.stderr.write(`${reasons.map(String).join('\n')}\nThe executable was not built.\n`)
  process.exit(1)
}
process.stdout.write(`${executable}: ${(Bun.file(executable).size / 1e6).toFixed(0)} MB\n`)
