// Parses the address of a PostgreSQL database. It can contain a password, so show it only with `describeAddress`.

import { readFileSync } from 'node:fs'
import { StartError } from '../../domain/start-error.ts'

export interface Host {
  /** A name, an IP address, or the absolute path of the folder with the server's socket. */
  host: string
  port: number
}

export interface PostgresAddress {
  hosts: readonly Host[]
  database: string
  user: string
  password: string | undefined
  sslMode: SslMode
  /** A file with trusted CA certificates; the system's by default. */
  sslRootCert: string | undefined
  /** Maximum number of connections for reads. Writes use two more. */
  connections: number
}

export const CONNECTIONS_DEFAULT = 8
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

const CONNECTIONS_MAX = 100
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#:]*)(?::([^@/?#]*))?@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/i
const HOST = /^(\[[0-9a-f:.]+\]|[^[\]:]+)(?::([0-9]{1,5}))?$/i

export function isPostgresAddress(address: string): boolean {
  return /^postgres(ql)?:/i.test(address)
}

/**
 * Parses `postgres://user:password@host:port,host:port/database?parameters`. Throws an Error whose message repeats
 * nothing of the address.
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  const [, user = '', password, hosts = '', database = '', query = ''] = FORM.exec(address) ?? []
  if (database === '') {
    throw new Error('must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters %-encoded')
  }
  if (user === '') throw new Error('must name a user: postgres://USER@HOST/DATABASE')
  return {
    hosts: hosts.split(',').map(parseHost),
    database: decode(database),
    user: decode(user),
    password: password === undefined ? undefined : decode(password),
    ...parseParameters(new URLSearchParams(query)),
  }
}

/** Returns the address without user, password and parameters, to show to people. */
export function describeAddress(address: string): string {
  const { hosts, database } = parsePostgresAddress(address)
  return `postgres://${hosts.map(describeHost).join(',')}/${database}`
}

/** As in an address: IPv6 in brackets, a socket's folder %-encoded. */
export function describeHost({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}:${port}`
}

/**
 * Returns the driver's TLS options, or false. Like libpq (https://www.postgresql.org/docs/current/libpq-ssl.html),
 * except that a named file must exist.
 */
export function tlsOf({ sslMode, sslRootCert }: PostgresAddress, { host }: Host): object | false {
  if (sslMode === 'disable' || host.startsWith('/')) return false
  return {
    rejectUnauthorized: sslMode.startsWith('verify') || sslRootCert !== undefined,
    ...(sslRootCert === undefined ? {} : { ca: readCertificate(sslRootCert) }),
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function parseHost(text: string): Host {
  const [, host = '', port = '5432'] = HOST.exec(text) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > 65535) {
    throw new Error('must name each host as HOST or HOST:PORT, separated by commas')
  }
  return { host: decode(host.replace(/^\[|\]$/g, '')), port: Number(port) }
}

function parseParameters(parameters: URLSearchParams) {
  const known = ['sslmode', 'sslrootcert', 'connections']
  const unknown = parameters.keys().find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`has an unknown parameter. Known: ${known.join(', ')}`)
  const sslMode = SSL_MODES.find((mode) => mode === (parameters.get('sslmode') ?? 'prefer'))
  if (!sslMode) throw new Error(`must have an sslmode of ${SSL_MODES.join(', ')}`)
  const connections = parameters.get('connections') ?? String(CONNECTIONS_DEFAULT)
  if (!/^[1-9][0-9]{0,2}$/.test(connections) || Number(connections) > CONNECTIONS_MAX) {
    throw new Error(`must have connections from 1 to ${CONNECTIONS_MAX}`)
  }
  return { sslMode, sslRootCert: parameters.get('sslrootcert') ?? undefined, connections: Number(connections) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has an invalid % escape: write %25 for a percent sign')
  }
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StartError(`the file in sslrootcert, ${path}, cannot be read`, { cause })
  }
}
