// The notices and the SBOM list every third-party package in our builds.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import packageJson from '../package.json'
import library from '../packages/page/reference/library/package.json'
import { notices } from '../scripts/notices.ts'
import { sbom } from '../scripts/sbom.ts'
import { root } from './support/process.ts'

const text = notices()

/** The packages in a bundle. */
async function bundled(target: 'bun' | 'browser', entry: string, tsconfig = 'tsconfig.json'): Promise<string[]> {
  const entrypoints = [join(root, entry)]
  const { metafile } = await Bun.build({ entrypoints, target, tsconfig: join(root, tsconfig), metafile: true })
  const files = Object.keys(metafile?.inputs ?? {})
  return [...new Set(files.flatMap((file) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))].sort()
}

test('the notices include every package in the service and its pages', async () => {
  const service = await bundled('bun', 'packages/cli/src/main.ts')
  const page = (name: string) =>
    bundled('browser', `packages/page/${name}/index.html`, `packages/page/${name}/tsconfig.json`)
  const pages = [...(await page('src')), ...(await page('reference'))]
  expect(service.length).toBeGreaterThan(10)
  expect(pages).toContain('preact')
  // The library of the reference is served unbundled.
  for (const name of [...service, ...pages, '@scalar/api-reference']) expect(text).toContain(`\n${name} `)
})

test('petstore-client and petstore/testing contain no third-party code', async () => {
  expect(await bundled('browser', 'packages/client/src/petstore.ts')).toEqual([])
  expect(await bundled('bun', 'packages/testing/testing.ts')).toEqual([])
})

test('the notices have the licence of each package and of the libraries in Bun', () => {
  for (const part of text.split(`${'='.repeat(80)}\n`).slice(1)) {
    const [name] = part.split('\n')
    expect([name, /Permission is hereby granted|Permission to use, copy, modify/i.test(part)]).toEqual([name, true])
  }
  for (const name of ['JavaScriptCore', 'boringssl', 'mimalloc', 'zstd']) expect(text).toContain(name)
})

test('the library of the API reference is the one that its manifest describes', async () => {
  const compressed = await Bun.file(join(root, 'packages/page/reference/library/standalone.js.br')).bytes()
  expect(Bun.SHA256.hash(brotliDecompressSync(compressed), 'hex')).toBe(library.sha256)
})

test('the SBOM has the same packages, with checksums', () => {
  const { components, metadata } = JSON.parse(sbom())
  const headings = text.split(`${'='.repeat(80)}\n`).slice(1)
  const inNotices = headings.map((part) => part.split(' (')[0]?.toLowerCase())
  const named = components.map(({ name, version }: Component) => `${name} ${version}`)
  expect(named.sort()).toEqual(inNotices.sort())
  expect(metadata.component.version).toBe(packageJson.version)
  for (const { name, purl, hashes, licenses } of components as Component[]) {
    expect([name, purl]).toEqual([name, expect.stringMatching(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@[\d.]+$/)])
    expect([name, hashes]).toEqual([name, [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]])
    expect([name, licenses[0]?.license.id]).toEqual([name, expect.stringMatching(/^(MIT|ISC)$/)])
  }
})

interface Component {
  name: string
  version: string
  purl: string
  hashes: unknown[]
  licenses: { license: { id: string } }[]
}
