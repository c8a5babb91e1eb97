// What happens beside the soak's requests, again and again: backups, a key that is rotated, slow clients and hostile ones.

import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { run } from '../../test/support/process.ts'

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

/** One round of everything. Resolves with what went wrong. No slow client goes on after `until`, on the clock of performance.now(). */
export async function chores(served: Served, until: number): Promise<string[]> {
  const faults = await Promise.all([backup(served), rotate(served), attack(served), ...slowClients(served, until)])
  return faults.flatMap((fault) => fault ?? [])
}

/** Of a store that is a file. */
async function backup({ database }: Served): Promise<string | undefined> {
  if (database.includes('://')) return undefined
  const target = temporaryFile('backup.db')
  const { status, stderr } = await run(['backup', target, '--database', database])
  rmSync(target, { force: true })
  return status === 0 ? undefined : `a backup: ${stderr}`
}

/** From then on the clients send the new key; the old one works until the requests with it are answered. */
async function rotate(served: Served): Promise<string | undefined> {
  const env = { PETSTORE_DATABASE: served.database }
  const { stdout, stderr } = await run(['keys', 'rotate', 'bench', '--overlap', '1m'], { env })
  const key = /pets_live_\w{28}/.exec(stdout)?.[0]
  if (key === undefined) return `a rotation: ${stderr}`
  served.key = key
  return undefined
}

/** In a separate process: generating the requests would hold up the rest. */
async function attack({ url, key }: Served): Promise<string | undefined> {
  const script = `const { hostile } = await import('${join(import.meta.dir, '../hostile.ts')}')
    await hostile(${JSON.stringify({ url, key })}, ${HOSTILE_REQUESTS})`
  const { status, stderr } = await run(['-e', script], { command: [process.execPath] })
  return status === 0 ? undefined : `hostile requests: ${stderr}`
}

/** Send their headers a line at a time, until they are cut off. */
function slowClients({ url }: Served, until: number): Promise<undefined>[] {
  const { hostname, port } = new URL(url)
  return Array.from({ length: SLOW_CLIENTS }, async () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.resume()
    socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n')
    for (let drip = 0; drip < DRIPS && !socket.destroyed && performance.now() < until; drip++) {
      socket.write('X: y\r\n')
      await Bun.sleep(DRIP_MS)
    }
    socket.destroy()
    return undefined
  })
}
