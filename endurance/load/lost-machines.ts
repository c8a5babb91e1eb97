// Loses machines under load: kills the service and Litestream, and continues on a new machine from the copy, at the same address. The disk of
// the lost machine shows what the service had stored.

import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installLitestream } from '../../test/support/litestream.ts'
import { Copier, numberOf } from './copies.ts'
import { keyedCreates } from './requests.ts'
import type { Prepare } from './scenes.ts'
import { petstore, portOf, startServer } from './stores.ts'

const CREATES_PER_SECOND = 300
/** More than are sent, so that no key is used twice. */
const CREATES_MAX = 100_000

const between = (least: number, most: number) => Bun.sleep(least + Math.random() * (most - least))

export const machinesLost: Prepare = async ({ plan, store, report }) => {
  await installLitestream()
  const newMachine = () => {
    const folder = join(store.folder, `machine-${Bun.nanoseconds()}`)
    mkdirSync(folder)
    return join(folder, 'petstore.db')
  }
  const copies = join(store.folder, `copies-of-machines-${Bun.nanoseconds()}`)
  let database = newMachine()
  let copier = new Copier(database, copies)
  const start = (flags: string[]) => startServer({ database }, { env: { PETSTORE_BOOTSTRAP_KEY: store.key }, flags })
  const first = await start([])
  const port = ['--port', `${portOf(first)}`]
  let server = first
  await copier.start()
  const faults: string[] = []
  let given = 0
  const kill = () => Promise.all([server.stop('SIGKILL'), copier.end('SIGKILL')])

  async function lose(startedAt: number): Promise<void> {
    const killedAt = Date.now()
    await kill()
    const [lost, next] = [database, newMachine()]
    const copy = join(dirname(next), 'copy.db')
    await copier.restore(copy)
    const { lostMs, last, ...compared } = compare(lost, copy, { startedAt, killedAt, given })
    faults.push(...compared.faults)
    given = last
    if (lostMs > plan.bound) faults.push(`lost a pet that was stored ${lostMs} ms before the kill`)
    await petstore(['restore', copy, '--database', next])
    database = next
    copier = new Copier(database, copies)
    server = await start(port)
    report(`lost a machine with its last ${lostMs} ms; the next one answered after ${Date.now() - killedAt} ms`)
    await copier.start()
  }
  return {
    server: first,
    streams: {
      creates: { requests: keyedCreates(store.key, CREATES_MAX), perSecond: CREATES_PER_SECOND, connectionsMax: 8 },
    },
    async happen() {
      for (let n = 0; n < plan.machines; n++) {
        const startedAt = Date.now()
        await between(300, 1_500)
        // Restarts the server, or Litestream, or neither.
        if (n % 3 === 1) {
          await server.stop('SIGKILL')
          server = await start(port)
        }
        if (n % 3 === 2) {
          await copier.end('SIGKILL')
          await between(0, 1_000)
          await copier.start()
        }
        await between(300, 2_500)
        await lose(startedAt)
      }
    },
    judge({ figures }) {
      const wrong = Object.entries(figures.creates?.wrong ?? {}).map(([what, count]) => `${count} × ${what}`)
      return [...faults, ...wrong]
    },
    after: kill,
  }
}

/**
 * Compares the copy with the lost store: only the newest pets are lost, nothing is duplicated or reordered, and no id up to `given`, the last
 * id of the machines before, is reused.
 */
function compare(lost: string, copy: string, at: { startedAt: number; killedAt: number; given: number }) {
  using store = new Database(lost, { readwrite: true, create: false })
  store.run('ATTACH ? AS copy', [copy])
  const missing = 'FROM main.pets WHERE id NOT IN (SELECT id FROM copy.pets)'
  const [ids] = store
    .query<Record<'last' | 'copied' | 'lost' | 'lostAt', number | null>, []>(`SELECT
    (SELECT max(id) FROM main.pets) AS last, (SELECT max(id) FROM copy.pets) AS copied,
    (SELECT min(id) ${missing}) AS lost, (SELECT min(created_at) ${missing}) AS lostAt`)
    .all()
  const isThere = {
    'the copy has pets that the store lacks': 'SELECT id, name FROM copy.pets EXCEPT SELECT id, name FROM main.pets',
    'a pet is duplicated': 'SELECT name FROM copy.pets GROUP BY name HAVING count(*) > 1',
    'an id is reused': `SELECT id FROM main.pets WHERE created_at > ${at.startedAt} AND id <= ${at.given}`,
    'events are out of order': `SELECT pet_id FROM (SELECT pet_id, lag(pet_id) OVER (ORDER BY id) AS before FROM copy.events)
      WHERE pet_id <= before`,
    'a pet is lost although a later one is not': `SELECT ${ids?.lost} WHERE ${ids?.lost} < ${ids?.copied}`,
  }
  const faults = Object.entries(isThere).flatMap(([what, sql]) => (numberOf(store, sql) > 0 ? what : []))
  return { faults, last: ids?.last ?? 0, lostMs: ids?.lostAt ? Math.max(0, at.killedAt - ids.lostAt) : 0 }
}
