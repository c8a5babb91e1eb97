// The store code of released versions. To add a release, run at its commit `bun build
// packages/service/src/store/kinds.ts --target=bun --minify --outfile store.js` and compress the file with `gzip -9n`.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { openStore } from '../../packages/service/src/store/kinds.ts'
import { temporaryFile } from './files.ts'

const FOLDER = join(import.meta.dir, '../../packages/service/test/store/releases')

/** The first release with each schema. */
export const RELEASES: Readonly<Record<number, string>> = { 21: '1.0.0', 22: '1.1.0' }

/** The `openStore` of that version. */
export async function releasedStore(version: string): Promise<typeof openStore> {
  const path = temporaryFile('store.js')
  writeFileSync(path, gunzipSync(readFileSync(join(FOLDER, `store-${version}.js.gz`))))
  return (await import(path)).openStore
}
