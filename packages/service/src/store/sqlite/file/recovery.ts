// Recovers a file that was reset to an earlier state (shared/recovery.ts). Its schema can be older and is not
// migrated.
//
// Do not use it in a process that has the store open: see checks.ts.

import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../../domain/keys.ts'
import { noStoreAt, StartError } from '../../../domain/start-error.ts'
import { wallMs } from '../../../system/runtime.ts'
import { FIND_CONTENTS, lastSkipped, type Recovery, toContents } from '../../shared/recovery.ts'
import { KEY_SQL, LIST_KEYS, toKey } from '../../shared/rows.ts'
import { ASSIGNING } from '../../shared/tables.ts'
import { checkFinished } from '../connect/connection.ts'
import { startError } from '../connect/errors.ts'
import { schemaVersion } from '../schema/schema.ts'
import { BEGIN_EPOCH } from './backup.ts'
import { inUse, prepareFile } from './checks.ts'
import { lastIdOf, openAlone, setLastId } from './contents.ts'
import { identityOf } from './guard.ts'
import { lackError } from './integrity.ts'

/** Changes everything or nothing. Throws StartError if a service uses the store. */
export async function recover(path: string, { skipIds, revoke }: Recovery): Promise<void> {
  if (identityOf(path) === undefined) throw noStoreAt(path)
  const file = prepareFile(path)
  try {
    using database = openAlone(file, inUse(path).message)
    checkFinished(database, path)
    const version = schemaVersion(database)
    if (version === 0) throw new StartError(`${path} is empty: there is nothing to recover.`)
    const revoked = await revoke(keysIn(database), toContents(database.query(FIND_CONTENTS).get() as object))
    database.transaction(() => {
      recoverRows(database, path, skipIds)
      const end = database.query(KEY_SQL.revoke.replaceAll('$', '?'))
      for (const id of revoked) end.run(id, wallMs())
    })()
  } catch (error) {
    throw lackError(path, startError(path, error))
  }
}

export function keysIn(database: Database): ApiKey[] {
  return database.query<object, []>(LIST_KEYS).all().map(toKey)
}

export type LastIds = (table: string) => bigint

const COUNT_INVENTORY = `UPDATE inventory SET counted_to = coalesce((SELECT max(id) FROM pets), 0),
  pets = (SELECT count(*) FROM pets WHERE pets.status = inventory.status)`

/**
 * Begins an epoch, counts the inventory, and skips ids after the last ones in this store or in `given`. Call it in a
 * transaction. Throws StartError.
 */
export function recoverRows(database: Database, path: string, skipIds: bigint, given: LastIds = () => 0n): void {
  const refuse = (reason: string) => new StartError(`${path} cannot be used: ${reason}.`)
  for (const table of ASSIGNING) {
    const [last, other] = [lastIdOf(database, table), given(table)]
    setLastId(database, table, lastSkipped(table, last > other ? last : other, skipIds, refuse))
  }
  database.run(COUNT_INVENTORY)
  database.run(BEGIN_EPOCH)
}
