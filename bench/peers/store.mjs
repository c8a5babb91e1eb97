// The animals of the peers written for comparison: node:sqlite as a good engineer would use it. Prepared statements,
// WAL, synchronous=FULL, one transaction a create. It reads the same file as the service.

import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

const COLUMNS = 'id, name, category_id AS categoryId, status'

export function openStore(path) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA busy_timeout = 2000')
  const page = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const pageByStatus = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)
  const pet = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`)
  const insert = database.prepare(
    'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
  )
  // Read once: kinder to the peers than the service is to itself, which asks the file at every request.
  const keys = new Map(
    database
      .prepare('SELECT hash, id FROM keys WHERE revoked_at IS NULL')
      .all()
      .map(({ hash, id }) => [hash, id]),
  )

  return {
    /** `undefined` for a key that is not known, or a header that holds none. */
    findKey(authorization = '') {
      if (!authorization.startsWith('Bearer ')) return undefined
      return keys.get(hash('sha256', authorization.slice(7)))
    },
    /** One more than asked for, so that the caller can tell whether a next page exists. */
    listPets: (limit, status, after) =>
      status === undefined ? page.all(after, limit + 1) : pageByStatus.all(status, after, limit + 1),
    getPet: (id) => pet.get(id),
    createPet({ name, categoryId, status }, by) {
      const { lastInsertRowid } = insert.run(name, categoryId, status, Date.now(), by)
      return { id: Number(lastInsertRowid), name, categoryId, status }
    },
  }
}

/** The `Link` to the page after this one. Its cursor is the last id, as it is. */
export function nextLink(limit, status, last) {
  return `</v1/pets?limit=${limit}${status ? `&status=${status}` : ''}&cursor=${last}>; rel="next"`
}

export function argumentsOfPeer() {
  const [, , database, port] = process.argv
  return { database, port: Number(port) }
}
