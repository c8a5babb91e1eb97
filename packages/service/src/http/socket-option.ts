// Calls functions for sockets that the runtime does not support: sets options of the process's listening sockets, and
// checks whether an address can be bound (Linux).

import { lookup } from 'node:dns/promises'
import { closeSync, readdirSync } from 'node:fs'
import { libc } from '../system/libc.ts'

const FUNCTIONS = {
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  inet_pton: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
} as const

const [AF_INET, AF_INET6] = [2, 10]
const SOCK_STREAM = 1
const SOL_SOCKET = 1
const [SO_REUSEADDR, SO_REUSEPORT] = [2, 15]
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

/**
 * Resolves with `true` if a socket can be bound to the address, with `shared` also if other processes share the
 * port. It never listens, so the kernel sends it no connections. Resolves with `false` if it cannot be bound, or
 * if that is unknown.
 */
export async function canBind(host: string, port: number, shared: boolean): Promise<boolean> {
  if (process.platform !== 'linux') return false
  try {
    const addresses = await lookup(host, { all: true })
    const { symbols, close } = libc(FUNCTIONS)
    const on = Buffer.from(new Int32Array([1]).buffer)

    function binds({ address, family }: (typeof addresses)[number]): boolean {
      const [domain, at] = family === 6 ? [AF_INET6, 8] : [AF_INET, 4]
      const bytes = Buffer.alloc(ADDRESS_BYTES)
      bytes.writeUInt16LE(domain)
      bytes.writeUInt16BE(port, 2)
      if (symbols.inet_pton(domain, Buffer.from(`${address}\0`), bytes.subarray(at)) !== 1) return false
      const socket = symbols.socket(domain, SOCK_STREAM, 0)
      if (socket < 0) return false
      symbols.setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, on, on.length)
      if (shared) symbols.setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, on, on.length)
      const status = symbols.bind(socket, bytes, bytes.length)
      closeSync(socket)
      return status === 0
    }

    const result = addresses.some(binds)
    close()
    return result
  } catch {
    return false
  }
}
