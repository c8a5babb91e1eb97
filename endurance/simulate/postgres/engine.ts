// PostgreSQL in this process (PGlite), which runs the service's SQL for a simulated host. It has one session, so of the
// simulated sessions only one can have a transaction open in it. Before another one runs a statement, the transaction
// is rolled back, and its statements run again when it continues. So each session sees what was committed, and its
// own changes.

import { PGlite } from '@electric-sql/pglite'
import { DatabaseError, serialize } from 'pg-protocol'
import { CommandCompleteMessage, DataRowMessage, RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { FUNCTIONS, MIGRATIONS, NEWEST_VERSION } from '../../../packages/service/src/store/postgres/schema/schema.ts'
import type { Failed, Rows, Statement } from './messages.ts'

export type Answer = { readonly rows: Rows } | { readonly failed: Failed }

export interface Transaction {
  /** With the wall-clock time of each. */
  readonly statements: (Statement & { readonly at: number })[]
  readonly isReadOnly: boolean
}

/** Functions and views that follow the simulation. Their schema comes before pg_catalog. */
const SIMULATED = `
  CREATE SCHEMA simulated;
  CREATE FUNCTION simulated.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS
    $$ SELECT current_setting('simulated.timeline') = '' $$;
  CREATE FUNCTION simulated.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS $$ BEGIN
    IF simulated.pg_is_in_recovery() THEN RAISE SQLSTATE '55000'; END IF;
    RETURN '0/0';
  END $$;
  CREATE FUNCTION simulated.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE sql AS
    $$ SELECT current_setting('simulated.timeline') || '0000000000000001' $$;
  CREATE FUNCTION simulated.pg_logical_emit_message(boolean, text, text) RETURNS pg_lsn LANGUAGE sql AS
    $$ SELECT '0/0'::pg_lsn $$;
  CREATE FUNCTION simulated.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql AS
    $$ SELECT to_timestamp(current_setting('simulated.started')::float8) $$;
  CREATE FUNCTION simulated.pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE sql AS
    $$ SELECT current_setting('simulated.system')::bigint $$;
  CREATE VIEW simulated.pg_stat_activity AS SELECT current_database() AS datname, *
    FROM json_to_recordset(current_setting('simulated.activity')::json) AS (
      pid int, application_name text, state text, query_start timestamptz, wait_event text
    );
  SET search_path = simulated, pg_catalog, public;
  SET synchronous_commit = off;
  SET plan_cache_mode = force_generic_plan`

const TABLES = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`
const SEQUENCES = ['pets', 'orders', 'events', 'keys'].map((table) => `${table}_id_seq`)
const READ_SEQUENCES = SEQUENCES.map(
  (name) => `SELECT '${name}' AS name, last_value, is_called FROM public.${name}`,
).join(' UNION ALL ')

/** The rows of all tables, and the state of the sequences. */
export interface Saved {
  readonly tables: readonly (readonly [name: string, rows: string])[]
  readonly sequences: string
}

export class Engine {
  private current: Transaction | undefined
  /** Sets the sequences as the last commit left them, because a rollback does not. */
  private sequences = ''
  private readonly prepared = new Map<string, string>()
  private readonly settings = new Map<string, string>()

  /** The state after the migrations. */
  readonly empty: Saved

  private constructor(private readonly database: PGlite) {
    this.must(SIMULATED)
    this.empty = this.save()
  }

  get processId(): number {
    return Number(this.must('SELECT pg_backend_pid()').rows[0]?.[0])
  }

  /** Opens the engines of two hosts, with the newest schema and no rows. */
  static async openTwo(): Promise<readonly [Engine, Engine]> {
    const database = await PGlite.create()
    const version = `CREATE TABLE petstore_schema (version integer NOT NULL); INSERT INTO petstore_schema VALUES (${NEWEST_VERSION})`
    for (const text of [...MIGRATIONS, FUNCTIONS, version]) await database.exec(text)
    const other = (await database.clone()) as PGlite
    return [new Engine(database), new Engine(other)]
  }

  /** Sets a parameter for all sessions. */
  set(name: string, value: string): void {
    if (this.settings.get(name) === value) return
    this.suspend()
    this.must(`SET ${name} = '${value}'`)
    this.settings.set(name, value)
  }

  /** Runs a statement in the transaction, or on its own. */
  run(transaction: Transaction | undefined, statement: Statement, at: number): Answer {
    if (transaction) {
      this.resume(transaction)
      transaction.statements.push({ ...statement, at })
    } else this.suspend()
    return this.send(statement, at)
  }

  commit(transaction: Transaction, at: number): Answer {
    this.resume(transaction)
    const answer = this.send({ text: 'COMMIT', values: [] }, at)
    this.current = undefined
    this.readSequences()
    return answer
  }

  rollBack(transaction: Transaction): void {
    if (this.current === transaction) this.suspend()
  }

  /** Returns everything that is committed. */
  save(): Saved {
    this.suspend()
    this.readSequences()
    const names = this.must(TABLES).rows.map(([name]) => name as string)
    const rows = (name: string) => this.must(`SELECT coalesce(json_agg(t), '[]') FROM public.${name} AS t`).rows[0]?.[0]
    return { tables: names.map((name) => [name, rows(name) as string]), sequences: this.sequences }
  }

  restore({ tables, sequences }: Saved): void {
    this.suspend()
    this.set('default_transaction_read_only', 'off')
    const names = tables.map(([name]) => `public.${name}`)
    this.must(`BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE ${names}`)
    for (const [name, rows] of tables) {
      const text = `INSERT INTO public.${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::public.${name}, $1)`
      this.must(text, [rows])
    }
    this.must(`${sequences}; COMMIT`)
    this.sequences = sequences
  }

  private resume(transaction: Transaction): void {
    if (transaction === this.current) return
    this.suspend()
    this.set('default_transaction_read_only', transaction.isReadOnly ? 'on' : 'off')
    for (const one of transaction.statements) this.send(one, one.at)
    this.current = transaction
  }

  private suspend(): void {
    if (!this.current) return
    this.must(`ROLLBACK; BEGIN READ WRITE; ${this.sequences}; COMMIT`)
    this.current = undefined
  }

  private readSequences(): void {
    const calls = this.must(READ_SEQUENCES).rows.map(
      ([name, last, isCalled]) => `setval('public.${name}', ${last}, '${isCalled}')`,
    )
    this.sequences = `SELECT ${calls}`
  }

  private must(text: string, values: readonly string[] = []): Rows {
    const answer = this.send({ text, values }, 0)
    if ('failed' in answer) throw new Error(`${answer.failed.message}: ${text}`)
    return answer.rows
  }

  /** Prepares each statement with parameters once, for all sessions. */
  private send({ text, values }: Statement, at: number): Answer {
    if (values.length === 0) return this.exchange([serialize.query(text)], at)
    const statement = this.prepared.get(text) ?? `s${this.prepared.size}`
    if (!this.prepared.has(text)) {
      const answer = this.exchange([serialize.parse({ name: statement, text, types: [] }), serialize.sync()], at)
      if ('failed' in answer) return answer
      this.prepared.set(text, statement)
    }
    const bind = serialize.bind({ statement, values: values as string[] })
    return this.exchange(
      [bind, serialize.describe({ type: 'P', name: '' }), serialize.execute({}), serialize.sync()],
      at,
    )
  }

  /** The engine reads the clock with `Date.now`. Its own time limits would depend on real time. */
  private exchange(messages: Uint8Array[], at: number): Answer {
    const { setTimeout: realTimer } = globalThis
    const realNow = Date.now
    Date.now = () => at
    globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout
    try {
      return parsed(this.database.execProtocolRawSync(Buffer.concat(messages)))
    } finally {
      Date.now = realNow
      globalThis.setTimeout = realTimer
    }
  }
}

function parsed(bytes: Uint8Array): Answer {
  let failed: Failed | undefined
  let command = ''
  let fields: Rows['fields'] = []
  let rows: Rows['rows'][number][] = []
  new Parser().parse(Buffer.from(bytes), (message) => {
    if (message instanceof RowDescriptionMessage) {
      fields = message.fields.map(({ name, dataTypeID }) => [name, dataTypeID])
      rows = []
    } else if (message instanceof DataRowMessage) rows.push(message.fields)
    else if (message instanceof CommandCompleteMessage) command = message.text.replace(/ .*/, '')
    else if (message instanceof DatabaseError && !failed) {
      const { message: text, code = '', severity = '', routine, constraint } = message
      failed = { message: text, code, severity, routine, constraint }
    }
  })
  return failed ? { failed } : { rows: { command, fields, rows } }
}
