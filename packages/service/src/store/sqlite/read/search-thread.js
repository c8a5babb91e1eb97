// The thread of search.ts (searchThread). A message has the path of the store's file, how long a
// statement waits, a statement and its values; the answer has its rows, or its error.
// JavaScript, since it is started from its text (thread.ts).

import { Database } from 'bun:sqlite'

let database

self.onmessage = ({ data: { path, waitMs, sql, values } }) => {
  try {
    if (path === undefined) return postMessage(close())
    database ??= open(path, waitMs)
    postMessage({ rows: database.query(sql).values(...values) })
  } catch ({ code, message }) {
    // Such as a failing disk. The next statement begins with a new connection.
    close()
    postMessage({ code, message })
  }
}

function open(path, waitMs) {
  const opened = new Database(path, { readonly: true, strict: true, safeIntegers: true })
  opened.run(`PRAGMA busy_timeout = ${waitMs}`)
  return opened
}

function close() {
  database?.close()
  database = undefined
}
