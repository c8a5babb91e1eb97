// Stores in files, and their rows.

import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { generateKey, hashKey } from '../../packages/service/src/domain/keys.ts'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { temporaryFile } from './files.ts'
import { newKey } from './keys.ts'
import { newPet, petBody } from './pets.ts'
import { ask } from './process.ts'

const FIELDS = { categoryId: 9223372036854775807n }
export const PET = petBody(FIELDS)

/** Creates a store with pets and one key. */
export async function made(count = 50) {
  const database = temporaryFile('petstore.db')
  const key = generateKey('production')
  const store = await openStore(database, { now: Date.now })
  const { id } = await store.createKey(newKey({ hash: hashKey(key) }))
  await Promise.all(Array.from({ length: count }, () => store.createPet(newPet(FIELDS), id)))
  await store.close()
  return { database, key }
}

/** Adds pets over HTTP, and retries requests that an overloaded service rejects. */
export async function add({ url, key }: { url: string; key: string }, count: number): Promise<void> {
  const addOne = async (): Promise<void> => {
    const { status, text } = await ask('POST', `${url}/pets`, key, PET)
    if (status === 503) return addOne()
    if (status !== 201) throw new Error(`${status}: ${text}`)
  }
  await Promise.all(Array.from({ length: count }, addOne))
}

export function rows(path: string): unknown[][] {
  const database = new Database(path, { readonly: true })
  const all = ['pets', 'keys', 'sqlite_sequence'].map((table) => database.query(`SELECT * FROM ${table}`).values())
  database.close()
  return all
}

/** The names of other files in the folder of this file. */
export function beside(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name !== basename(path))
}
