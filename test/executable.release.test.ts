// The executable, alone in an empty folder, with an empty environment: everything that it needs is in it. `npm run check:executable`
// runs the command line's own tests against it. And the files of a release, in which it is packed.

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
/** A PATH that leads nowhere: no Bun, no Node, no npm. */
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
      // They were compressed when they were built: the first answer is.
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

test('shows every guide, and the settings', async () => {
  const guides = [...new Bun.Glob('*.md').scanSync(join(import.meta.dir, '../docs'))]
  expect(guides.length).toBeGreaterThan(10)
  for (const guide of guides) {
    const [title = ''] = (await Bun.file(join(import.meta.dir, '../docs', guide)).text()).split('\n')
    expect(await run(['help', guide], alone)).toMatchObject({ status: 0, stdout: expect.stringContaining(title) })
  }
  expect((await run(['help', 'settings'], alone)).stdout).toContain('\nPETSTORE_PORT, --port <number> (default 8080)\n')
})

test('is built again byte for byte', async () => {
  const again = temporaryFile('petstore')
  await bundleService({ executable: again, target: undefined })
  expect(sha256(again)).toBe(sha256(executable))
})

test('and its notices are all that its build leaves in its folder', () => {
  expect(readdirSync(dirname(executable)).sort()).toEqual(['THIRD-PARTY-NOTICES.txt', 'petstore'])
})

test('names a command that a shell finds, in its own folder, too', async () => {
  const service = await serve(['--database', temporaryFile('petstore.db')], { ...alone, cwd: dirname(executable) })
  expect(service.stdout()).toContain('\nAnother key  ./petstore keys create ')
  expect(await service.stop()).toBe(0)
})

test('prints its version and help, and ends with the documented exit statuses', async () => {
  expect(await run(['--version'], alone)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  expect(await run(['--none'], alone)).toMatchObject({ status: 2 })
})

test('a release has the packages, the executable with its licences, the list of contents, and the checksums of all', async () => {
  const folder = mkdtempSync(temporaryFile('release-'))
  const { service, client } = await packages()
  writeRelease(folder, [service, client], { system: executable })
  const { version } = packageJson
  const archives = [`petstore-${version}.cdx.json`, `petstore-${version}.tgz`, `petstore-client-${version}.tgz`]
  expect(readdirSync(folder).sort()).toEqual([SUMS, 'THIRD-PARTY-NOTICES.txt', ...archives, 'petstore-system.tar.gz'])
  const sums = readFileSync(join(folder, SUMS), 'utf8').trimEnd().split('\n')
  const files = readdirSync(folder).filter((name) => name !== SUMS)
  expect(sums.sort()).toEqual(files.map((name) => `${sha256(join(folder, name))}  ${name}`).sort())
  // As the page for operators says, with the tools of a system.
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  await runTool(['tar', '-xzf', '../petstore-system.tar.gz'], unpacked)
  expect(readdirSync(unpacked).sort()).toEqual(['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'petstore'])
  // All tests above ran it.
  expect(sha256(join(unpacked, 'petstore'))).toBe(sha256(executable))
  expect(statSync(join(unpacked, 'petstore')).mode & 0o777).toBe(0o755)
})

function sha256(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
}
