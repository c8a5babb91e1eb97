// Point-in-time recovery and restored dumps, with the commands of docs/backups.md, the programs of PostgreSQL on
// Debian, and a service before and after.

import { afterEach, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { freePort } from '../../../../../test/support/ports.ts'

import { ask, root, run, serve } from '../../../../../test/support/process.ts'

const [bin] = [...new Bun.Glob('usr/lib/postgresql/*/bin/pg_basebackup').scanSync('/')].sort().reverse()
const programs = bin && `/${dirname(bin)}`
const asRoot = process.getuid?.() === 0
const NOBODY = 65534

/** The code blocks of a section of docs/backups.md. */
function recipe(heading: string): string[] {
  const page = readFileSync(join(root, 'docs/backups.md'), 'utf8')
  const [, section] = page.split(`${heading}\n`)
  if (section === undefined) throw new Error(`docs/backups.md has no section ${heading}`)
  const [text = ''] = section.split(/^#/m)
  return [...text.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

/** An empty PostgreSQL. `sh` runs a script as its user. */
async function machine() {
  const folder = mkdtempSync(temporaryFile('recovery-'))
  const within = (name: string) => join(folder, name)
  const [data, backups, recovered] = [within('data'), within('backups'), within('recovered')]
  mkdirSync(backups)
  for (const path of [dirname(folder), folder, backups]) {
    chmodSync(path, 0o755)
    if (asRoot) chownSync(path, NOBODY, NOBODY)
  }
  const port = String(freePort())
  const server = { PGDATA: data, PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres' }
  const PATH = `${programs}:${process.env.PATH}`
  const env: Record<string, string> = { PATH, BACKUPS: backups, RECOVERED: recovered, ...server }
  const asUser = asRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const sh = async (script: string, more: Record<string, string> = {}) => {
    const command = [...asUser, 'sh']
    const { status, stdout, stderr } = await run(['-ec', script], { command, cwd: folder, env: { ...env, ...more } })
    if (status !== 0) throw new Error(`${script}: ${status}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  await sh('initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync >&2')
  const settings = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nshared_buffers = 32MB\n`
  appendFileSync(join(data, 'postgresql.conf'), settings)
  return { sh, address: `postgres://postgres@127.0.0.1:${port}/postgres` }
}

let stop = async () => {}
afterEach(() => stop())

const skipped = programs ? '' : ': skipped, Debian has no postgresql here'
test.skipIf(!programs)(
  `recovery restores a pet that was deleted by mistake, reactivates a revoked key and expires cursors${skipped}`,
  async () => {
    const [archive = '', backup = '', back = '', before = ''] = recipe('### Go back to the minute before a mistake')
    const { sh, address } = await machine()
    stop = async () => {
      for (const folder of ['$PGDATA', '$RECOVERED'])
        await sh(`pg_ctl --pgdata "${folder}" --mode=immediate stop || true`)
    }
    await sh(archive)
    await sh('pg_ctl --log "$PGDATA/log" --wait start')
    const service = await serve(['--database', address])
    const { url, key } = service
    const add = async (to: string, name: string) =>
      JSON.parse((await ask('POST', `${to}/pets`, key, JSON.stringify({ name, categoryId: 7 }))).text).id as number
    const keys = async (...args: string[]) => (await run(['keys', ...args, '--database', address])).stdout.trim()
    await add(url, 'Rex')
    await sh(backup)
    await add(url, 'Bella')
    const till = await keys('create', '--name', 'till')
    const good = await sh(`psql -Atc 'SELECT clock_timestamp()'`)
    await sh(`psql -c "DELETE FROM pets WHERE name = 'Bella'"`)
    const late = await add(url, 'Late')
    await keys('revoke', 'till')
    const { headers } = await ask('GET', `${url}/store/events?from=now`, key)
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
    expect((await ask('GET', `${url}/pets`, till)).status).toBe(401)
    await service.stop()

    await sh(back, { BEFORE: good, BASE: await sh('echo "$BACKUPS"/base-*') })
    const options = { command: ['sh', '-ec'], cwd: root, env: { PETSTORE_DATABASE: address } }
    const { status, stdout } = await run([`${before.trim()} --yes`], options)
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^2 +till .* active /m)])
    const recoveredService = await serve(['--database', address])
    const again = recoveredService.url
    const names = JSON.parse((await ask('GET', `${again}/pets`, key)).text).map((pet: { name: string }) => pet.name)
    expect(names).toEqual(['Rex', 'Bella'])
    expect(await add(again, 'New')).toBeGreaterThan(late)
    // The key was revoked after the recovered time.
    expect((await ask('GET', `${again}/pets`, till)).status).toBe(200)
    expect((await ask('GET', new URL(next, `${again}/`).href, key)).text).toContain('cursor_expired')
    await recoveredService.stop()
  },
)

test.skipIf(!programs)(`a restored dump reuses no id${skipped}`, async () => {
  const [restoring = ''] = recipe('## PostgreSQL')
  const [create, restore, analyze, recover] = restoring.trim().split('\n')
  const { sh, address: other } = await machine()
  stop = async () => {
    await sh('pg_ctl --pgdata "$PGDATA" --mode=immediate stop || true')
  }
  await sh('pg_ctl --log "$PGDATA/log" --wait start')
  await sh('createuser petstore_owner && createdb --owner=petstore_owner petstore')
  const address = (name: string) => other.replace('postgres@', 'petstore_owner@').replace(/postgres$/, name)
  const service = await serve(['--database', address('petstore')])
  const add = async ({ url }: { url: string }) =>
    JSON.parse((await ask('POST', `${url}/pets`, service.key, '{"name":"Rex","categoryId":7}')).text).id as number
  for (let n = 0; n < 10; n++) await add(service)
  await sh('pg_dump -Fc petstore > petstore.dump')
  for (let n = 0; n < 20; n++) await add(service)
  const { headers } = await ask('GET', `${service.url}/store/events?from=now`, service.key)
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
  await service.stop()

  await sh(`${create}\n${restore}\n${analyze}`)
  expect(recover).toContain('bin/petstore recovered')
  expect(await run(['recovered', '--yes', '--database', address('petstore_restored')])).toMatchObject({ status: 0 })
  const restored = await serve(['--database', address('petstore_restored')])
  expect(await add(restored)).toBe(1_000_011)
  expect((await ask('GET', new URL(next, `${restored.url}/`).href, service.key)).text).toContain('cursor_expired')
  await restored.stop()
})
