// Functions of the C library, for what the runtime has no interface of its own. Linux only.
//
// The gain: locks on files, two names that are exchanged at once, options of sockets, and the log's index in memory. The price: nothing checks
// the arguments, and a wrong one can end the process. So each function is called from one file, which also works without it.

import { dlopen, type FFIFunction, type Library } from 'bun:ffi'
import { readdirSync } from 'node:fs'

/** Throws where there is no such library, or no such function in it. */
export function libc<Functions extends Record<string, FFIFunction>>(functions: Functions): Library<Functions> {
  const musl = readdirSync('/lib').find((name) => name.startsWith('libc.musl-'))
  return dlopen(musl ?? 'libc.so.6', functions)
}
