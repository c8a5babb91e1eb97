// The executable in an empty folder, with an empty environment, and the files of a release. `npm run check:executable`
// runs the tests of the command line against the executable.

import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../package.json'
import { bundleService } from '../scripts/bundle-service.ts'
import { SUMS, writeRelease } from '../scripts/release.ts'
import { executable as builtExecutable, packages } from './support/artefacts.ts'
import { temporaryFile } from './support/files.ts'
import { copiesLog } from './support/logs.ts'
import { filesOf } from './support/page-files.ts'
import { ask, run, serve } from './support/process.ts'
import { runTool } from './support/tools.ts'

let executable: string
const cwd = mkdtempSync(temporaryFile('empty-'))
/** A PATH without Bun, Node and npm. */
const alone = { command: [''], cwd, env: { PATH: '/none', HOME: cwd } }
beforeAll(async () => {
  executable = await builtExecutable()
  alone.command = [executable]
})

test('serves the API, the pages and the contract; workers, backups and checkpoints run', async () => {
  const workers = process.platform === 'linux' ? ['--workers', '2'] : []
  const env = { ...alone.env, PETSTORE_BACKUP_DIR: 'backups', PETSTORE_BACKUP_EVERY: '1s' }
  const service = await serve(workers, { ...alone, env })
  for (const path of ['/', '/docs', '/openapi.yaml', '/openapi.json', '/readyz']) {
    const response = await fetch(new URL(path, service.url))
    expect([path, response.status]).toEqual([path, 200])
    for (const file of filesOf(await response.text())) {
      // Compressed at build time, so the first response is compressed.
      for (const [encoding, bytesMax] of [
        ['br', 1_200_000],
        ['gzip', 1_500_000],
      ] as const) {
        const headers = { 'Accept-Encoding': encoding }
        const served = await fetch(new URL(file, service.url), { headers, decompress: false })
        expect([file, served.status, served.headers.get('Content-Encoding')]).toEqual([file, 200, encoding])
        expect((await served.bytes()).length).toBeLessThan(bytesMax)
      }
    }
  }
  expect((await ask('POST', `${service.url}/pets`, service.key, '{"name":"Rex","categoryId":7}')).status).toBe(201)
  await service.logs('"msg":"backup"')
  await copiesLog(join(cwd, 'data/petstore.db'))
  expect(await service.stop()).toBe(0)
  expect(service.stderr()).not.toContain('worker ended')
  expect(readdirSync(cwd).sort()).toEqual(['backups', 'data'])
})

test('shows the settings, and the address of a page', async () => {
  const { stdout } = await run(['help', 'operations'], alone)
  expect(stdout).toBe('docs/operations.md in the source and the package of this version\n')
  expect((await run(['help', 'settings'], alone)).stdout).toContain('\nPETSTORE_PORT, --port <number> (default 8080)\n')
})

test('has a reproducible build', async () => {
  const again = temporaryFile('petstore')
  await bundleService({ executable: again, target: undefined })
  expect(sha256(again)).toBe(sha256(executable))
})

test('prints a command that works in its folder', async () => {
  const service = await serve(['--database', temporaryFile('petstore.db')], { ...alone, cwd: dirname(executable) })
  expect(service.stdout()).toContain('\nAnother key  ./petstore keys create ')
  expect(await service.stop()).toBe(0)
})

test('a release has the packages, the executable with its licences, the SBOM, and all checksums', async () => {
  const folder = mkdtempSync(temporaryFile('release-'))
  const { service, client } = await packages()
  writeRelease(folder, [service, client], { system: executable })
  const { version } = packageJson
  const archives = [`petstore-${version}.cdx.json`, `petstore-${version}.tgz`, `petstore-client-${version}.tgz`]
  expect(readdirSync(folder).sort()).toEqual([SUMS, 'THIRD-PARTY-NOTICES.txt', ...archives, 'petstore-system.tar.gz'])
  const sums = readFileSync(join(folder, SUMS), 'utf8').trimEnd().split('\n')
  const files = readdirSync(folder).filter((name) => name !== SUMS)
  expect(sums.sort()).toEqual(files.map((name) => `${sha256(join(folder, name))}  ${name}`).sort())
  // Unpack with tar, as docs/operations.md says.
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  await runTool(['tar', '-xzf', '../petstore-system.tar.gz'], unpacked)
  expect(readdirSync(unpacked).sort()).toEqual(['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'petstore'])
  // The archive has the tested executable.
  expect(sha256(join(unpacked, 'petstore'))).toBe(sha256(executable))
  expect(statSync(join(unpacked, 'petstore')).mode & 0o777).toBe(0o755)
})

function sha256(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
}
