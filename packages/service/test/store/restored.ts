// Helpers for restore tests: the files that a restore keeps, and the pets that a service would serve.

import { readFileSync } from 'node:fs'
import { serve } from '../../../../test/support/process.ts'
import { add, made, rows } from '../../../../test/support/stores.ts'
import { StartError } from '../../src/domain/start-error.ts'
import { openStore } from '../../src/store/kinds.ts'

/** The kept files that the command prints. */
export const keptIn = (stdout: string) => /kept as (.+)\.\n/.exec(stdout)?.[1]?.split(' and ') ?? []

/** Does not compare the sequences, because a restore skips ids. */
export const contents = (path: string) => rows(path).slice(0, 2)

/** Returns a store after a crash, with half of its pets in the log. */
export async function killed(count: number) {
  const { database, key } = await made(count / 2)
  const service = await serve(['--database', database])
  await add({ url: service.url, key }, count / 2)
  await service.stop('SIGKILL')
  return { database, log: readFileSync(`${database}-wal`) }
}

/** The number of pets that a service would serve from the file, or the message with which it rejects the file. */
export async function served(path: string): Promise<number | string> {
  try {
    const store = await openStore(path, { now: Date.now })
    const { available } = await store.getInventory()
    await store.close()
    return Number(available)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}
