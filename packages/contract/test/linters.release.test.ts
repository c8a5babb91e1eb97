// Two widely used linters find no problem in the contract. Redocly's linter is in
// packages/contract/test/openapi.test.ts.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { installTools, runTool } from '../../../test/support/tools.ts'

const home = join(import.meta.dir, 'linters')
const contract = join(import.meta.dir, '../../../openapi.yaml')
/** Writes the contract with one part replaced. */
function changed(right: string, wrong: string): string {
  const [file, text] = [temporaryFile('openapi.yaml'), readFileSync(contract, 'utf8')]
  expect(text).toContain(right)
  writeFileSync(file, text.replace(right, wrong))
  return file
}

test('Spectral and swagger-parser find no problem, but a missing contact and description', async () => {
  await installTools('linters', home)
  const files = [
    contract,
    changed('  contact:\n    name: The Petstore developers\n', ''),
    changed('          description: A page of pets.\n', ''),
  ]
  // One process for all of them: loading the linters takes longer than linting.
  const [found, ...faults] = JSON.parse(await runTool([process.execPath, join(home, 'lint.mjs'), ...files], home))
  expect(found).toEqual([])
  const description = expect.stringMatching(/^swagger-parser: [\s\S]*description/)
  expect(faults).toEqual([[expect.stringContaining('info-contact')], [description]])
})
