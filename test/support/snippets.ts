// Projects that run each snippet of docs/testing.md unchanged, followed by a test.

import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from './files.ts'
import { root } from './process.ts'

interface Snippet {
  /** The beginning of the paragraph above the snippet. */
  title: string
  files: (snippet: string) => Record<string, string>
  command: string[]
  env?: Record<string, string>
  /** The packages that the snippet needs from the registry. */
  packages?: string[]
}

const CHECK = `const answer = await fetch(store.url + '/pets', { headers: { Authorization: 'Bearer ' + store.apiKey } })
  if (answer.status !== 200) throw new Error(String(answer.status))`
const JS_TEST = `\ntest('the petstore answers', async () => {\n  ${CHECK}\n})\n`
const PYTHON_CHECK = `import urllib.request
def check(store):
    request = urllib.request.Request(store["url"] + "/pets", headers={"Authorization": "Bearer " + store["apiKey"]})
    assert urllib.request.urlopen(request).read().strip() == b"[]"
`
const PYTHON_TEST = 'def test_answers(store):\n    check(store)\n'
const MODULE = { 'package.json': '{ "type": "module" }' }
const NODE_TEST = (snippet: string) => ({ 'store.test.mjs': snippet + JS_TEST })
const vitest = (snippet: string) => `import { test } from 'vitest'\n${snippet}${JS_TEST}`
const VITEST = (snippet: string) => ({ ...MODULE, 'store.test.ts': vitest(snippet) })

export const SNIPPETS: Record<string, Snippet> = {
  'a program': {
    title: '`petstore/testing` works',
    files: (snippet) => ({ 'program.mjs': snippet.replace('await store.stop()', `${CHECK}\n$&`) }),
    command: ['node', 'program.mjs'],
  },
  'node:test': { title: '**node:test**', files: NODE_TEST, command: ['node', '--test', 'store.test.mjs'] },
  Bun: {
    title: '**Vitest**',
    files: (snippet) => ({ 'store.test.ts': VITEST(snippet)['store.test.ts'].replaceAll(`'vitest'`, `'bun:test'`) }),
    command: [process.execPath, 'test', '--timeout', '600000', 'store.test.ts'],
  },
  Python: {
    title: '**Python**',
    files: (snippet) => ({
      'program.py': `${snippet}\n${PYTHON_CHECK}\nreset()\ncheck(store)\npetstore.stdin.close()`,
    }),
    command: ['python3', 'program.py'],
  },
  pytest: {
    title: '**pytest**',
    files: (snippet) => ({ 'conftest.py': snippet, 'test_store.py': `${PYTHON_CHECK}\n${PYTHON_TEST}` }),
    command: ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
  },
  Deno: {
    title: '**node:test**',
    files: NODE_TEST,
    command: [
      'deno',
      'test',
      '--no-check',
      '--allow-run',
      '--allow-env',
      '--allow-read',
      '--allow-net',
      'store.test.mjs',
    ],
  },
  Vitest: { title: '**Vitest**', files: VITEST, command: ['npx', 'vitest', 'run'], packages: ['vitest@5.1.1'] },
  Jest: {
    title: '**Jest**',
    files: (snippet) => ({ 'package.json': '{}', 'store.test.js': snippet + JS_TEST }),
    command: ['npx', 'jest'],
    packages: ['jest@30.5.2'],
  },
  'Jest with ES modules': {
    title: '**Jest with ES modules**',
    files: (snippet) => ({ ...MODULE, 'store.test.js': snippet + JS_TEST }),
    command: ['npx', 'jest'],
    env: { NODE_OPTIONS: '--experimental-vm-modules' },
    packages: ['jest@30.5.2'],
  },
  Playwright: {
    title: '**Playwright**',
    files: (snippet) => ({
      'fixtures.ts': snippet,
      'store.spec.ts': `import { test } from './fixtures'\ntest('the petstore answers', async ({ store }) => {\n  ${CHECK}\n})\n`,
    }),
    command: ['npx', 'playwright', 'test', '--reporter=line'],
    packages: ['@playwright/test@1.65.1'],
  },
}

/** The first snippet after the paragraph that begins with the title. */
function snippetOf(title: string): string {
  const page = readFileSync(join(root, 'docs/testing.md'), 'utf8')
  const at = page.indexOf(`\n${title}`)
  const [, snippet] = /```\w+\n([\s\S]*?)```/.exec(page.slice(at)) ?? []
  if (at < 0 || snippet === undefined) throw new Error(`docs/testing.md has no snippet below ${title}`)
  return snippet
}

/** Creates a folder with the snippet. `petstore` is the unpacked package, unless it will be installed. */
export function project({ title, files }: Snippet, petstore?: string): string {
  const folder = mkdtempSync(temporaryFile('snippet-'))
  for (const [name, text] of Object.entries(files(snippetOf(title)))) writeFileSync(join(folder, name), text)
  if (petstore) {
    const links = { 'node_modules/petstore': petstore, 'node_modules/.bin/petstore': join(petstore, 'bin/petstore') }
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      symlinkSync(target, join(folder, path))
    }
  }
  return folder
}
