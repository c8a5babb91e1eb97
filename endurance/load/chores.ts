// Background work of the soak: backups, key rotations, slow clients and hostile clients.

import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { run } from '../../test/support/process.ts'
import { petstore } from './stores.ts'

const SLOW_CLIENTS = 5
const DRIP_MS = 500
const HOSTILE_REQUESTS = 80
/** The runtime disconnects a client whose headers take longer than about 12 s. */
const DRIPS = 40

interface Served {
  readonly url: string
  readonly database: string
  /** Changes when the key is rotated. */
  key: string
}

/** Runs one round of everything. Resolves with the faults. Slow clients stop at `until`, a time of performance.now(). */
export async function chores(served: Served, until: number): Promise<string[]> {
  const slow = Array.from({ length: SLOW_CLIENTS }, () => dripping(served, until))
  const all = await Promise.allSettled([backup(served), rotate(served), attack(served), ...slow])
  return all.flatMap((one) => (one.status === 'rejected' ? `${one.reason}` : []))
}

/** Makes a backup if the store is a file. */
async function backup({ database }: Served): Promise<void> {
  if (database.includes('://')) return
  const target = temporaryFile('backup.db')
  await petstore(['backup', target, '--database', database])
  rmSync(target)
}

/** Switches the clients to the new key. The old key works until its requests get their responses. */
async function rotate(served: Served): Promise<void> {
  const shown = await petstore(['keys', 'rotate', 'first', '--overlap', '1m', '--database', served.database])
  served.key = /pets_live_\w{28}/.exec(shown)?.[0] as string
}

/** Runs in a separate process, because generating the requests would delay the load. */
async function attack({ url, key }: Served): Promise<void> {
  const script = `const { hostile } = await import('${join(import.meta.dir, '../hostile.ts')}')
    await hostile(${JSON.stringify({ url, key })}, ${HOSTILE_REQUESTS})`
  const { status, stderr } = await run(['-e', script], { command: [process.execPath] })
  if (status !== 0) throw new Error(`hostile requests: ${stderr}`)
}

/** Sends headers line by line until the server disconnects. */
async function dripping({ url }: Served, until: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n')
  for (let drip = 0; drip < DRIPS && !socket.destroyed && performance.now() < until; drip++) {
    socket.write('X: y\r\n')
    await Bun.sleep(DRIP_MS)
  }
  socket.destroy()
}
