// What happens beside the soak's requests, again and again: backups, a key that is rotated, slow clients and hostile ones.

import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { run } from '../../test/support/process.ts'
import { petstore } from './stores.ts'

const SLOW_CLIENTS = 5
const DRIP_MS = 500
const HOSTILE_REQUESTS = 80
/** The runtime cuts a client whose headers take longer than some 12 s. */
const DRIPS = 40

export interface Served {
  readonly url: string
  readonly database: string
  /** Changes when the key is rotated. */
  key: string
}

/** One round of everything. Resolves with the faults. No slow client continues after `until`, on the clock of performance.now(). */
export async function chores(served: Served, until: number): Promise<string[]> {
  const slow = Array.from({ length: SLOW_CLIENTS }, () => dripping(served, until))
  const all = await Promise.allSettled([backup(served), rotate(served), attack(served), ...slow])
  return all.flatMap((one) => (one.status === 'rejected' ? `${one.reason}` : []))
}

/** Of a store that is a file. */
async function backup({ database }: Served): Promise<void> {
  if (database.includes('://')) return
  const target = temporaryFile('backup.db')
  await petstore(['backup', target, '--database', database])
  rmSync(target)
}

/** From then on the clients send the new key; the old one works until the requests with it are answered. */
async function rotate(served: Served): Promise<void> {
  const shown = await petstore(['keys', 'rotate', 'bench', '--overlap', '1m', '--database', served.database])
  served.key = /pets_live_\w{28}/.exec(shown)?.[0] as string
}

/** In a separate process: generating the requests would hold up the rest. */
async function attack({ url, key }: Served): Promise<void> {
  const script = `const { hostile } = await import('${join(import.meta.dir, '../hostile.ts')}')
    await hostile(${JSON.stringify({ url, key })}, ${HOSTILE_REQUESTS})`
  const { status, stderr } = await run(['-e', script], { command: [process.execPath] })
  if (status !== 0) throw new Error(`hostile requests: ${stderr}`)
}

/** Sends its headers a line at a time, until it is cut off. */
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
