// `npm run build:executable`: makes dist/petstore, one file that runs without Node, npm or Bun, and beside it the notices of what it
// carries. `-- --target linux-x64-musl` makes one for another system, with that system's Bun; `--outfile` names another file.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleService, TARGETS } from './bundle-service.ts'
import { NOTICES, notices } from './notices.ts'

const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } })
const { target, outfile } = values
if (target !== undefined && !(target in TARGETS)) {
  process.stderr.write(`There is no target ${target}. There are: ${Object.keys(TARGETS).join(', ')}.\n`)
  process.exit(2)
}
const executable = resolve(outfile ?? join(import.meta.dir, '../dist', target ? `petstore-${target}` : 'petstore'))
mkdirSync(dirname(executable), { recursive: true })
try {
  await bundleService({ executable, target: TARGETS[target ?? ''] })
  writeFileSync(join(dirname(executable), NOTICES), notices())
} catch (error) {
  const reasons = error instanceof AggregateError ? error.errors : [error]
  process.stderr.write(`${reasons.map(String).join('\n')}\nThe executable could not be made.\n`)
  process.exit(1)
}
process.stdout.write(`${executable}: ${(Bun.file(executable).size / 1e6).toFixed(0)} MB\n`)
