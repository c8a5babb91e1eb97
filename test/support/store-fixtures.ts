// The fixtures in packages/service/test/store/stores/: of schema 17, and of each release (scripts/store-fixture.ts). `sqlite-N` is a file and its log as a
// killed service left them; `postgres-17` what pg_dump made of a database of commit 60c4a71, which told the events of `events.json`.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { temporaryFile } from './files.ts'
import type { Server } from './postgres.ts'

export const STORES = join(import.meta.dir, '../../packages/service/test/store/stores')

/** A whole number is written as `"7n"`. */
export function fixtureJson<Content>(store: string, file: 'contents' | 'events'): Content {
  return JSON.parse(readFileSync(join(STORES, store, `${file}.json`), 'utf8'), (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  )
}

/** A copy of the file, with its log. */
export function fixtureFile(version: number, path = temporaryFile('petstore.db')): string {
  for (const suffix of ['', '-wal']) {
    writeFileSync(path + suffix, gunzipSync(readFileSync(join(STORES, `sqlite-${version}`, `petstore.db${suffix}.gz`))))
  }
  return path
}

/** A database of schema 17. */
export async function fixtureDatabase(cluster: Server): Promise<string> {
  const address = await cluster.newDatabase()
  await fillDatabase(cluster, new URL(address).pathname.slice(1))
  return address
}

export async function fillDatabase(cluster: Server, database: string): Promise<void> {
  const dump = gunzipSync(readFileSync(join(STORES, 'postgres-17/petstore.sql.gz'))).toString()
  await cluster.asAdmin(async (sql) => {
    await sql.unsafe(dump)
    // By the clock of the database they would be over.
    await sql`UPDATE public.idempotency_answers SET created_at = extract(epoch FROM now()) * 1000`
  }, database)
}
