// Stores in files, made by a real service, and what is in them.

import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { temporaryFile } from './files.ts'
import { petBody } from './pets.ts'
import { ask, serve } from './process.ts'

export const PET = petBody({ categoryId: 9223372036854775807n })

/** A store with some pets, and its first key. */
export async function made(count = 50) {
  const database = temporaryFile('petstore.db')
  const service = await serve(['--database', database])
  await add(service, count)
  await service.stop()
  return { database, key: service.key }
}

export async function add({ url, key }: { url: string; key: string }, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => ask('POST', `${url}/pets`, key, PET)))
}

export function rows(path: string): unknown[][] {
  const database = new Database(path, { readonly: true })
  const all = ['pets', 'keys', 'sqlite_sequence'].map((table) => database.query(`SELECT * FROM ${table}`).values())
  database.close()
  return all
}

/** The names of the other files of its folder. */
export function beside(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name !== basename(path))
}
