// Stores in files, and what is in them.

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

/** A store with some pets, and its first key. */
export async function made(count = 50) {
  const database = temporaryFile('petstore.db')
  const key = generateKey('production')
  const store = await openStore(database, { now: Date.now })
  const { id } = await store.createKey(newKey({ hash: hashKey(key) }))
  await Promise.all(Array.from({ length: count }, () => store.createPet(newPet(FIELDS), id)))
  await store.close()
  return { database, key }
}

/** Over HTTP. What an overloaded service refuses is sent again. */
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

/** The names of the other files of its folder. */
export function beside(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name !== basename(path))
}
