// The installed PgBouncer, in transaction mode, in front of a test's PostgreSQL.

import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { temporaryFile } from './files.ts'
import { freePort } from './ports.ts'
import { until } from './until.ts'

const found = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })
/** The version of PgBouncer, or a falsy value if it is not installed. */
export const pgbouncerVersion = found && /[0-9.]+/.exec(Bun.spawnSync([found, '--version']).stdout.toString())?.[0]

/** Fewer than the service uses, in turns, so that successive transactions get different server connections. */
const SERVER_CONNECTIONS = 4

export class PgBouncer {
  private constructor(
    readonly port: number,
    private readonly process: Bun.Subprocess,
  ) {}

  /** Starts PgBouncer with the settings of docs/postgresql.md and `settings`. Resolves when it accepts connections. */
  static async start(target: number, at?: number, settings = ''): Promise<PgBouncer> {
    const port = at ?? freePort()
    const file = temporaryFile('pgbouncer.ini')
    const users = `${dirname(file)}/users.txt`
    writeFileSync(users, '"postgres" ""\n')
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
server_round_robin = 1
ignore_startup_parameters = statement_timeout
server_login_retry = 1
${settings}
`,
    )
    // PgBouncer refuses to run as root.
    const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : []
    const child = Bun.spawn([found as string, '--quiet', ...user, file], { stdio: ['ignore', 'ignore', 'ignore'] })
    process.once('exit', () => child.kill('SIGKILL'))
    await until('PgBouncer listens', () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
      return isReachable(port)
    })
    return new PgBouncer(port, child)
  }

  /** Changes an address of the database server to the pooler. */
  through(address: string): string {
    return address.replace(/:[0-9]+\//, `:${this.port}/`)
  }

  async stop(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.process.exited
  }
}

function isReachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
