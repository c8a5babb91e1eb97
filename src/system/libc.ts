// Functions of the C library, for what the runtime has no interface of its own. Linux only.

import { dlopen, type FFIFunction, type Library } from 'bun:ffi'
import { readdirSync } from 'node:fs'

/** Throws where there is no such library, or no such function in it. */
export function libc<Functions extends Record<string, FFIFunction>>(functions: Functions): Library<Functions> {
  const musl = readdirSync('/lib').find((name) => name.startsWith('libc.musl-'))
  return dlopen(musl ?? 'libc.so.6', functions)
}
