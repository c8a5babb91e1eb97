// Dependencies point inward: who may import whom, and that each file says what it owns.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const src = join(import.meta.dir, '../src')
const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(src)].sort()

/** A folder, or `domain` for the files in src itself. */
const room = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : 'domain')

/** What each room may import of ours, beside itself. Only the command line sees everything. */
const ALLOWED: Record<string, readonly string[]> = {
  domain: ['generated'],
  generated: [],
  http: ['domain', 'generated', 'store/store.ts'],
  store: ['domain', 'generated'],
  client: ['generated'],
  // The page speaks to the public API through the client, and to nothing else.
  console: ['client'],
  reference: ['http/openapi.ts'],
  cli: ['domain', 'generated', 'http', 'store', 'client'],
}

describe('a file', () => {
  for (const file of files) {
    test(`${file} imports only what its room may`, () => {
      const allowed = ALLOWED[room(file)]
      expect(allowed).toBeDefined()
      for (const target of imports(file)) {
        if (room(target) === room(file)) continue
        expect(`${file} → ${target}`).toSatisfy(
          () => allowed?.some((one) => one === target || one === room(target)) ?? false,
        )
      }
    })

    test(`${file} opens with what it owns`, () => {
      const [first = '', second = ''] = readFileSync(join(src, file), 'utf8').split('\n')
      expect(first.startsWith('#!') ? second : first).toStartWith('// ')
    })
  }
})

test('pets, keys and errors know nothing of ours but each other and the contract’s types', () => {
  for (const file of ['pets.ts', 'keys.ts', 'errors.ts']) {
    for (const target of imports(file)) expect(['generated/contract.ts', 'keys.ts']).toContain(target)
  }
})

function imports(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/from '(\.[^']+\.tsx?)'/g)].map(([, path]) =>
    relative(src, join(src, dirname(file), path as string)),
  )
}
