// Sets options of the process's listening sockets, which the runtime does not support (Linux).

import { readdirSync } from 'node:fs'
import { libc } from '../system/libc.ts'

const FUNCTIONS = {
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
} as const

const SOL_SOCKET = 1
const SO_ACCEPTCONN = 30
/** For an IPv6 address, the longest. */
const ADDRESS_BYTES = 28

/**
 * Sets an option of the sockets that listen on the port. Connections accepted later inherit it. Returns `false` if
 * the system refuses it, or if libc or /proc is missing.
 */
export function setSocketOption(port: number, level: number, name: number, value: Buffer): boolean {
  if (process.platform !== 'linux') return true
  try {
    const { symbols, close } = libc(FUNCTIONS)
    const [accepts, address, length] = [Buffer.alloc(4), Buffer.alloc(ADDRESS_BYTES), Buffer.alloc(4)]

    function listensOnPort(descriptor: number): boolean {
      length.writeUInt32LE(accepts.length)
      if (symbols.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, accepts, length) !== 0) return false
      if (accepts.readUInt32LE() === 0) return false
      length.writeUInt32LE(address.length)
      return symbols.getsockname(descriptor, address, length) === 0 && address.readUInt16BE(2) === port
    }

    const listening = readdirSync('/proc/self/fd').map(Number).filter(listensOnPort)
    const results = listening.map((socket) => symbols.setsockopt(socket, level, name, value, value.length))
    close()
    return results.length > 0 && results.every((result) => result === 0)
  } catch {
    return false
  }
}
