// `npm run build:executable`: makes dist/petstore, one file that runs without Node, npm or Bun, and beside it the notices
// of what it carries. `-- --target linux-x64-musl` makes one
// for another system, with that system's Bun; `--outfile` names another file.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleService } from './bundle-service.ts'
import { NOTICES, notices } from './notices.ts'

/** By how people name them. Bun's own names begin with `bun-`. */
const TARGETS: Record<string, Bun.Build.CompileTarget> = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-arm64-musl',
  'macos-x64': 'bun-darwin-x64',
  'macos-arm64': 'bun-darwin-arm64',
}

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
const bytes = await Bun.file(executable).bytes()
const megabytes = ({ length }: Uint8Array) => `${(length / 1e6).toFixed(0)} MB`
process.stdout.write(`${executable}: ${megabytes(bytes)}, ${megabytes(Bun.gzipSync(bytes))} compressed\n`)
