// Writes the generated files: the contract's types, the page of settings, and the PostgreSQL grants. With `--check`, it writes nothing and
// fails if a file is out of date.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import document from '../openapi.yaml'
import { contractTypes } from './contract-types.ts'

const root = join(import.meta.dir, '..')
const check = process.argv.includes('--check')

write({ 'packages/contract/src/generated.ts': contractTypes(document) })
// These modules import the types that were just written.
const { configurationPage } = await import('./configuration-page.ts')
const { postgresqlPage } = await import('./postgresql-page.ts')
write({
  'docs/configuration.md': await configurationPage(),
  'docs/postgresql.md': postgresqlPage(),
})

function write(outputs: Record<string, string>): void {
  const stale = Object.entries(outputs).filter(([path, text]) => readOrEmpty(join(root, path)) !== text)
  for (const [path, text] of stale) {
    if (check) {
      process.stderr.write(`${path} is out of date. Run npm run generate.\n`)
      process.exitCode = 1
    } else {
      writeFileSync(join(root, path), text)
      process.stdout.write(`wrote ${path}\n`)
    }
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
