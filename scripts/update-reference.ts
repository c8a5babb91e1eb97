// `bun scripts/update-reference.ts VERSION` replaces the library of the API reference, @scalar/api-reference. We keep its standalone build
// instead of a dependency, because the package would install 270 others.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { $ } from 'bun'

const NAME = '@scalar/api-reference'
const library = join(import.meta.dir, '../packages/page/reference/library')
const [version = 'latest'] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'petstore-reference-'))
try {
  const [packed] = await $`npm pack ${NAME}@${version} --json`.cwd(folder).json()
  await $`tar xzf ${packed.filename} package/package.json package/dist/browser/standalone.js`.cwd(folder)
  const script = await Bun.file(join(folder, 'package/dist/browser/standalone.js')).bytes()
  const { license, author } = await Bun.file(join(folder, 'package/package.json')).json()
  await Bun.write(join(library, 'standalone.js.br'), brotliCompressSync(script))
  const sha256 = Bun.SHA256.hash(script, 'hex')
  // The notices and the SBOM read this file.
  const manifest = { name: NAME, version: packed.version, license, author, integrity: packed.integrity, sha256 }
  await Bun.write(join(library, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
