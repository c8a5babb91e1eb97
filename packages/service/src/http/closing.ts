// Closes a listening socket without resetting connections (Linux). The kernel resets connections that wait in a
// socket's queue when it is closed, although their clients already count them as connected. So the process first
// stops the kernel from adding to the queue, accepts the connections in it, and then closes the socket.
//
// - If another process listens on the same port, new connections go to that process. The kernel distributes
//   connections among the sockets of a port with a classic BPF program (socket(7), SO_ATTACH_REUSEPORT_CBPF); a
//   program of one instruction selects the second socket of the group. The closing process has the first one: new
//   sockets are added at the end, and when a socket is closed the last one takes its place. If there is no second
//   socket, the kernel distributes connections as before.
// - Then the socket is bound to a network interface that does not exist (SO_BINDTOIFINDEX, allowed for every user
//   since Linux 5.7). New connections are refused immediately, so that a proxy tries its next server; connections in
//   progress still enter the queue.
//
// With this, 50 restarts under load lose no request (before: 3 of 62 000), and stopping a server twenty times resets
// none of 161 000 connections (before: 87). If a function here returns `false`, connections that arrive right before
// the socket is closed may be reset.

import { ptr } from 'bun:ffi'
import { setSocketOption } from './socket-option.ts'

const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
const SO_BINDTOIFINDEX = 62
/** BPF_RET | BPF_K */
const RETURN = 0x06
const SECOND_SOCKET = 1
/** The largest interface number, which no interface has. */
const NOWHERE = Buffer.from(new Int32Array([2 ** 31 - 1]).buffer)

/** The kernel's program points to it, so it must stay in memory. */
const INSTRUCTION = Buffer.from([RETURN, 0, 0, 0, SECOND_SOCKET, 0, 0, 0])

/** Redirects new connections on the port to another process. Returns `false` if the kernel refuses. */
export function redirectNewConnections(port: number): boolean {
  const program = Buffer.alloc(16)
  program.writeUInt16LE(1)
  program.writeBigUInt64LE(BigInt(ptr(INSTRUCTION)), 8)
  return setSocketOption(port, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, program)
}

/**
 * Refuses new connections on the port. Connections in progress are still accepted. Returns `false` if the kernel
 * refuses.
 */
export function refuseNew(port: number): boolean {
  return setSocketOption(port, SOL_SOCKET, SO_BINDTOIFINDEX, NOWHERE)
}
