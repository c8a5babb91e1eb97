// Why a database cannot be used at a start, in sentences that say what to do. The password is in none of them.

import { PetstoreError, StartError } from '../../domain/errors.ts'
import { describeAddress } from './address.ts'
import { codeOf } from './errors.ts'

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'it refuses this user or password. Check the address, and pg_hba.conf of the server.'],
  [/^3D000$/, 'it has no such database. Create it, as docs/postgresql.md tells.'],
  [
    /^(42501|3F000)$/,
    'this user may not do what is needed. Let the owner run `petstore migrate --apply`, and grant the rest, as docs/postgresql.md tells.',
  ],
  [/^42P07$/, 'it holds tables of another program. Name a database of its own.'],
  [/^(25006|STANDBY)$/, 'no host of the address takes writes: it is a standby. Name the primary, too.'],
  [
    /^53300$/,
    'it has no connection left. Raise max_connections, or lower `connections` in the addresses of the servers.',
  ],
  [
    /^NOT_REPLICATED$/,
    'a commit waits for a synchronous standby that does not confirm it. Start the standby, or change synchronous_standby_names.',
  ],
  [/^57P03$/, 'it is still starting up, or shutting down. Try again.'],
  [
    /^08P01$/,
    'it does not take our connection parameters. With PgBouncer, set ignore_startup_parameters, as docs/postgresql.md tells.',
  ],
  [
    /^26000$/,
    'it forgets prepared statements. With PgBouncer, set max_prepared_statements, as docs/postgresql.md tells.',
  ],
  [
    /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/,
    'its certificate cannot be verified. Check sslmode and sslrootcert in the address.',
  ],
  [
    /^(E[A-Z_]+|CONNECT\w+|NO_ANSWER|08\w+)$/,
    'it cannot be reached. Is it running, are host and port right, and does it speak TLS where sslmode asks for it?',
  ],
]

/** What is thrown at a start for `error`: a StartError, or `error` itself when it was not foreseen. */
export function refusal(address: string, error: unknown): unknown {
  const cause = error instanceof PetstoreError ? error.cause : error
  const where = `${describeAddress(address)} cannot be used: `
  if (cause instanceof StartError) return new StartError(`${where}${cause.message}.`, { cause })
  const reason = REASONS.find(([pattern]) => pattern.test(codeOf(cause)))?.[1]
  return reason === undefined ? error : new StartError(where + reason, { cause })
}
