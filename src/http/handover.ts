// Hands a shared port over to another process without losing a connection (Linux). The kernel distributes new connections among
// all sockets that listen on the port. When a socket is closed, the kernel resets the connections that still wait in its queue. So
// before a process closes its socket, it makes the kernel send every new connection to the other process.
//
// A classic BPF program of one instruction does that: it selects the second socket of the group (socket(7),
// SO_ATTACH_REUSEPORT_CBPF). The closing process has the first: a new socket is added at the end, and when one is closed the last
// takes its place. With no second socket the kernel distributes connections as before.

import { FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { libc } from '../system/libc.ts'

const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
/** BPF_RET | BPF_K */
const RETURN = 0x06
const SECOND_SOCKET = 1
/** TCP_LISTEN in /proc/net/tcp. */
const LISTENING = '0A'

/** Best effort: where it fails, connections that arrive just before the socket is closed may be reset. */
export function handOver(port: number): void {
  if (process.platform !== 'linux') return
  try {
    const { symbols, close } = libc({
      setsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    })
    const instruction = Buffer.alloc(8)
    instruction.writeUInt16LE(RETURN)
    instruction.writeUInt32LE(SECOND_SOCKET, 4)
    const program = Buffer.alloc(16)
    program.writeUInt16LE(1)
    program.writeBigUInt64LE(BigInt(ptr(instruction)), 8)
    for (const descriptor of listeningOn(port)) {
      symbols.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.length)
    }
    close()
  } catch {
    // A system without /proc or without this libc.
  }
}

/** This process's descriptors that listen on the port. */
function listeningOn(port: number): number[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = new Set<string>()
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/self/net/${table}`, 'utf8').split('\n')) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      if (state === LISTENING && local.endsWith(`:${hex}`)) inodes.add(`socket:[${inode}]`)
    }
  }
  return readdirSync('/proc/self/fd')
    .filter((name) => inodes.has(targetOf(name)))
    .map(Number)
}

/** The descriptor that read the directory is already closed. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${name}`)
  } catch {
    return ''
  }
}
