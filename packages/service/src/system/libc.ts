// Calls functions of the C library for features that the runtime lacks: file locks, exchanging two names atomically,
// socket options, and moving SQLite's WAL index to memory. Linux only.
//
// Nothing checks the arguments, and a wrong one can crash the process. So only one file calls each function, and each
// caller also works without it.

import { dlopen, type FFIFunction, type Library } from 'bun:ffi'
import { readdirSync } from 'node:fs'

/** Throws if the library or a function is missing. */
export function libc<Functions extends Record<string, FFIFunction>>(functions: Functions): Library<Functions> {
  const musl = readdirSync('/lib').find((name) => name.startsWith('libc.musl-'))
  return dlopen(musl ?? 'libc.so.6', functions)
}
