// Leaving a port that another process shares (Linux). The kernel spreads new connections over all sockets that listen on the port,
// and resets those that still wait to be accepted at one that is closed. So a process that leaves first tells the kernel
// to give every new connection to the other one; then nothing waits where nobody comes.
//
// Told by a classic BPF program of one instruction, "the second socket of the group" (socket(7),
// SO_ATTACH_REUSEPORT_CBPF). The process that leaves is the first: sockets join at the end, and the last one takes the place of one
// that goes. Where there is no second, the kernel does as it did before.

import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
/** BPF_RET | BPF_K */
const RETURN = 0x06
const SECOND = 1
const LISTENING = '0A'

/** Best effort: where it cannot be done, a connection may be lost that arrives in the moment of the end. */
export function handOver(port: number): void {
  if (process.platform !== 'linux') return
  try {
    const libc = dlopen(libcName(), {
      setsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    })
    const instruction = Buffer.alloc(8)
    instruction.writeUInt16LE(RETURN)
    instruction.writeUInt32LE(SECOND, 4)
    const program = Buffer.alloc(16)
    program.writeUInt16LE(1)
    program.writeBigUInt64LE(BigInt(ptr(instruction)), 8)
    for (const descriptor of listeningOn(port)) {
      libc.symbols.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.length)
    }
    libc.close()
  } catch {
    // A system without /proc or this libc: see above.
  }
}

/** The descriptors of this process that listen on the port. */
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

/** The descriptor that reads the folder is gone by now. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${name}`)
  } catch {
    return ''
  }
}

function libcName(): string {
  const musl = readdirSync('/lib').find((name) => name.startsWith('libc.musl-'))
  return musl ?? 'libc.so.6'
}
