// Two more linters that are not ours, and widely used: they find nothing in the contract. (Redocly's is in test/contract.test.ts.)

import { beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { rejectionOf } from './support/rejection.ts'
import { installTools, runTool } from './support/tools.ts'

const home = join(import.meta.dir, 'linters')
const contract = join(import.meta.dir, '../openapi.yaml')
const lint = async (file: string): Promise<string[]> =>
  JSON.parse(await runTool([process.execPath, join(home, 'lint.mjs'), file], home))

/** The contract with one part of it replaced. */
function changed(right: string, wrong: string): string {
  const [file, text] = [temporaryFile('openapi.yaml'), readFileSync(contract, 'utf8')]
  expect(text).toContain(right)
  writeFileSync(file, text.replace(right, wrong))
  return file
}

beforeAll(() => installTools(home), 120_000)

test('Spectral and swagger-parser find nothing', async () => {
  expect(await lint(contract)).toEqual([])
}, 60_000)

test('Spectral finds a contract without contact', async () => {
  const found = await lint(changed('  contact:\n    name: The Petstore developers\n', ''))
  expect(found).toEqual([expect.stringContaining('info-contact')])
}, 60_000)

test('swagger-parser finds a response without description', async () => {
  const error = await rejectionOf(lint(changed('          description: A page of pets.\n', '')))
  expect(String(error)).toContain('description')
}, 60_000)
