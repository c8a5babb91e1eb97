// Writes the generated files of the tree: the contract's types, the page of settings, and functions of PostgreSQL. With `--check` it writes nothing,
// and fails when a file is out of date.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import document from '../openapi.yaml'
import { configurationPage } from './configuration-page.ts'
import { contractTypes } from './contract-types.ts'
import { sqlFunctions } from './sql-functions.ts'

const root = join(import.meta.dir, '..')
const outputs: Record<string, string> = {
  'src/contract/generated.ts': contractTypes(document),
  'docs/configuration.md': configurationPage(),
  ...sqlFunctions(),
}

const stale = Object.entries(outputs).filter(([path, text]) => readOrEmpty(join(root, path)) !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stderr.write(`${path} is out of date: run npm run generate\n`)
  process.exit(stale.length > 0 ? 1 : 0)
}
for (const [path, text] of stale) {
  writeFileSync(join(root, path), text)
  process.stdout.write(`wrote ${path}\n`)
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
