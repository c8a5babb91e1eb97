// Every kind of address in docs/postgresql.md, against real servers: TLS in each `sslmode`, passwords, hosts,
// encodings.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { Cluster } from '../../../../../test/support/postgres.ts'
import { run, runProcess } from '../../../../../test/support/process.ts'
import { runTool } from '../../../../../test/support/tools.ts'
import { until } from '../../../../../test/support/until.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { orRefusal } from '../../../src/store/postgres/start-checks.ts'

const PASSWORD = 'p@ss:/?#[]&=+ %25 é 猫 🐈'
const ENCODED = encodeURIComponent(PASSWORD)
const ODD = 'odd @:/?#%é'

const REFUSED = /refuses this user or password/
const UNREACHABLE = /cannot be reached/
const UNVERIFIED = /certificate cannot be verified/

const openssl = Bun.which('openssl')
const folder = dirname(temporaryFile('certificates'))
/** Its path has a space, which is `%20` in an address. */
const authority = join(folder, 'the authority.pem')
const stranger = join(folder, 'stranger.pem')

let cluster: Cluster
beforeAll(async () => {
  cluster = await Cluster.start({ unix_socket_directories: '.' })
  await cluster.asAdmin(async (sql) => {
    await sql.unsafe(`CREATE DATABASE "${ODD}"`)
    for (const role of ['shop', ODD]) await sql.unsafe(`CREATE ROLE "${role}" LOGIN PASSWORD '${PASSWORD}'`)
    await sql.unsafe('CREATE ROLE encrypted LOGIN; CREATE ROLE unencrypted LOGIN')
    const rules = [
      'local all all trust',
      'host all postgres all trust',
      `host all shop,"${ODD}" all scram-sha-256`,
      'hostssl all encrypted all trust',
      'hostnossl all unencrypted all trust',
    ]
    writeFileSync(join(cluster.folder, 'pg_hba.conf'), `${rules.join('\n')}\n`)
    await sql`SELECT pg_reload_conf()`
  })
})
afterAll(() => cluster.remove())

/**
 * Opens a session. Returns its properties, or the message of the rejection. `PORT` stands for the server's port,
 * `FOLDER` for the folder of its socket.
 */
async function opened(pattern: string) {
  const address = pattern.replaceAll('PORT', String(cluster.port)).replace('FOLDER', encodeURIComponent(cluster.folder))
  try {
    const connection = await orRefusal(address, (parsed) => PrimaryConnection.open(parsed))
    const [found] = await connection.read<{ user: string; database: string; encrypted: boolean; host: string | null }>(
      `SELECT current_user::text AS "user", current_database()::text AS database,
              (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted, host(inet_server_addr()) AS host`,
    )
    await connection.close()
    return found
  } catch (error) {
    return (error as Error).message
  }
}

type Row = [what: string, address: string, expected: Awaited<ReturnType<typeof opened>> | object | RegExp]

function rows(all: readonly Row[]): void {
  test.each(
    all.map((row) => [`${row[0]}: ${row[1].replaceAll(encodeURIComponent(folder), '')}`, row[1], row[2]] as const),
  )('%s', async (_, address, expected) => {
    const found = await opened(address as string)
    if (expected instanceof RegExp) expect(found).toMatch(expected)
    else expect(found).toMatchObject(expected as object)
    expect(JSON.stringify(found)).not.toContain(PASSWORD)
  })
}

const at = (parameters = '', user = 'postgres', host = '127.0.0.1') =>
  `postgres://${user}@${host}:PORT/postgres${parameters && `?${parameters}`}`
const ENCRYPTED = { encrypted: true }
const PLAIN = { encrypted: false }

rows([
  ['a name, which can have several addresses', at('', 'postgres', 'localhost'), { user: 'postgres' }],
  ['the first host rejects', 'postgres://postgres@127.0.0.1:1,127.0.0.1:PORT/postgres', { host: '127.0.0.1' }],
  ['no host responds', 'postgres://postgres@127.0.0.1:1,127.0.0.1:2/postgres', UNREACHABLE],
  ['the folder of a socket, without TLS', at('sslmode=require', 'postgres', 'FOLDER'), { ...PLAIN, host: null }],
  ['no such database', 'postgres://postgres@127.0.0.1:PORT/nowhere', /no such database/],
  ['a wrong password', at('', `shop:${ENCODED}x`), REFUSED],
  [
    'user, password and database %-encoded',
    `postgres://${encodeURIComponent(ODD)}:${ENCODED}@127.0.0.1:PORT/${encodeURIComponent(ODD)}`,
    { user: ODD, database: ODD },
  ],
])

describe('the environment', () => {
  const home = join(folder, 'home')
  const FOREIGN = {
    ...{ PGHOST: 'petstore.invalid', PGHOSTADDR: '192.0.2.1', PGPORT: '1', PGUSER: 'nobody', PGUSERNAME: 'nobody' },
    ...{ PGDATABASE: 'nowhere', PGOPTIONS: '-c search_path=nowhere', PGAPPNAME: 'other', PGCLIENTENCODING: 'LATIN1' },
    ...{ PGCLIENT_ENCODING: 'LATIN1', PGREPLICATION: 'database', PGBINARY: '1', PGSERVICE: 'nowhere' },
    ...{ PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/nowhere.pem', PGCONNECT_TIMEOUT: '0', NODE_PG_FORCE_NATIVE: '1' },
  }
  const check = (user: string, env: Record<string, string> = {}) => {
    const PETSTORE_DATABASE = at('', user).replace('PORT', String(cluster.port))
    return run(['migrate', '--check'], { env: { PETSTORE_DATABASE, HOME: home, ...env } })
  }
  const FOUND = { status: 1, stdout: expect.stringContaining('schema 0 of '), stderr: '' }
  const NOT_FOUND = { stderr: expect.stringMatching(REFUSED) }

  beforeAll(() => {
    mkdirSync(home)
    writeFileSync(join(home, '.pgpass'), `*:*:*:*:${PASSWORD.replace(/[\\:]/g, '\\$&')}\n`, { mode: 0o600 })
  })

  test('provides a password that the address does not have, but not from a file, and nothing else', async () => {
    for (const [user, env, expected] of [
      ['shop', { PGPASSWORD: PASSWORD }, FOUND],
      ['shop', { PGPASSWORD: 'wrong' }, NOT_FOUND],
      [`shop:${ENCODED}`, { PGPASSWORD: 'wrong', ...FOREIGN }, FOUND],
      ['shop', {}, NOT_FOUND],
      ['shop', { PGPASSFILE: join(home, '.pgpass') }, NOT_FOUND],
    ] as const)
      expect({ env, ...(await check(user, env)) }).toMatchObject({ env, ...expected })
  })
})

rows([
  ['requested', at('sslmode=prefer'), PLAIN],
  ['needed', at('sslmode=require'), UNREACHABLE],
])

describe.skipIf(!openssl)(`a server with TLS${openssl ? '' : ': skipped, openssl missing'}`, () => {
  beforeAll(async () => {
    await certify()
    await cluster.asAdmin(async (sql) => {
      for (const [name, file] of [
        ['ssl_cert_file', 'server.pem'],
        ['ssl_key_file', 'server.key'],
      ] as const) {
        await sql.unsafe(`ALTER SYSTEM SET ${name} = '${join(cluster.folder, file)}'`)
      }
      await sql.unsafe('ALTER SYSTEM SET ssl = on')
      await sql`SELECT pg_reload_conf()`
    })
    await until('the server offers TLS', async () => (await opened(at('sslmode=require'))) instanceof Object)
  })

  test('trusts an authority that NODE_EXTRA_CA_CERTS names', async () => {
    const PETSTORE_DATABASE = at('sslmode=verify-full').replace('PORT', String(cluster.port))
    const env = { PETSTORE_DATABASE, NODE_EXTRA_CA_CERTS: authority }
    // Bun reads the variable at process start.
    expect(await runProcess(['migrate', '--check'], { env })).toMatchObject({ status: 1, stderr: '' })
  })

  const ca = (file: string) => `sslrootcert=${encodeURIComponent(file)}`
  const trusting = (mode: string, file = authority, user = 'postgres', host = '127.0.0.1') =>
    at(`sslmode=${mode}&${ca(file)}`, user, host)
  rows([
    ['not requested', at('sslmode=disable'), PLAIN],
    ['requested', at('sslmode=prefer'), ENCRYPTED],
    ['a user who must use it', at('sslmode=disable', 'encrypted'), REFUSED],
    ['a user who must not use it', at('sslmode=prefer', 'unencrypted'), PLAIN],
    ['a user who must not use it', at('sslmode=require', 'unencrypted'), REFUSED],
    ['another authority', trusting('prefer', stranger), PLAIN],
    ['needed', trusting('require'), ENCRYPTED],
    ['another authority', trusting('require', stranger), UNVERIFIED],
    ['for another name', trusting('verify-ca', authority, 'postgres', 'localhost'), ENCRYPTED],
    ['another authority', trusting('verify-ca', stranger), UNVERIFIED],
    ['the right authority', trusting('verify-full'), ENCRYPTED],
    ['for another name', trusting('verify-full', authority, 'postgres', 'localhost'), UNVERIFIED],
    ['an authority that the system does not know', at('sslmode=verify-full'), UNVERIFIED],
    ['a missing file', trusting('verify-full', join(folder, 'nowhere.pem')), /nowhere\.pem, cannot be read/],
  ])
})

/** Creates two authorities. The first signs the server's certificate, which is valid for 127.0.0.1 only. */
async function certify(): Promise<void> {
  const run = (...args: string[]) => runTool([openssl as string, ...args], folder)
  const make = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const file of [authority, stranger]) {
    await run('req', '-x509', ...make, '-subj', '/CN=authority', '-days', '2', '-keyout', `${file}.key`, '-out', file)
  }
  const at = (name: string) => join(folder, name)
  const [key, request, certificate] = [at('server.key'), at('server.csr'), at('server.pem')]
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
  await run('req', ...make, '-subj', '/CN=server', '-keyout', key, '-out', request)
  await run(
    ...['x509', '-req', '-in', request, '-CA', authority, '-CAkey', `${authority}.key`, '-CAcreateserial'],
    ...['-days', '2', '-extfile', join(folder, 'names'), '-out', certificate],
  )
  for (const file of ['server.key', 'server.pem']) {
    const there = join(cluster.folder, file)
    writeFileSync(there, await Bun.file(join(folder, file)).bytes())
    chmodSync(there, 0o600)
    if (process.getuid?.() === 0) chownSync(there, 65534, 65534)
  }
}
