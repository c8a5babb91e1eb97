// The thread of thread.ts. A message has the options to open the file and a statement with its values; `first` is a
// statement to run before it. The response has the rows or the error. A message without a statement closes the file.
// This is JavaScript because the thread is started from this text.

import { Database } from 'bun:sqlite'

let database

self.onmessage = ({ data: { opening, first, sql, values } }) => {
  try {
    if (sql === undefined) return postMessage(close())
    database ??= open(opening)
    if (first) database.run(first)
    postMessage({ rows: database.query(sql).values(...values) })
  } catch ({ code, message }) {
    // For example a failing or full disk. The next statement opens a new connection.
    close()
    postMessage({ code, message })
  }
}

function open({ path, readonly, waitMs }) {
  const opened = new Database(path, { readonly, readwrite: !readonly, create: false, strict: true, safeIntegers: true })
  opened.run(`PRAGMA busy_timeout = ${waitMs}`)
  return opened
}

function close() {
  database?.close()
  database = undefined
  return { rows: [] }
}
