// Statements: what the store asks, and how a connection of the driver answers.

import type { Sql } from './hosts.ts'

export type Parameter = string | number | bigint | boolean | null

/** Resolves with the rows of one statement. Each connection prepares it once. */
export type Ask = <Row extends object>(statement: string, ...parameters: Parameter[]) => Promise<Row[]>

export function askOn(sql: Sql): Ask {
  return async <Row extends object>(statement: string, ...parameters: Parameter[]) =>
    Array.from(await sql.unsafe<Row[]>(statement, parameters, { prepare: true }))
}

export function inTransaction<Result>(sql: Sql, work: (ask: Ask) => Promise<Result>): Promise<Result> {
  return sql.begin((transaction) => work(askOn(transaction as unknown as Sql))) as Promise<Result>
}
