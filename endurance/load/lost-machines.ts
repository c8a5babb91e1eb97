// Machines that are lost under load, one after the other: a service and Litestream are killed, and a new machine goes on from the copy at
// the same address. The disk of the machine that is lost says what its service had kept.

import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installLitestream, restoreCopy, startCopying, toFolder } from '../../test/support/litestream.ts'
import { run } from '../../test/support/process.ts'
import { keyedCreates } from './requests.ts'
import type { Prepare } from './scenes.ts'
import { petstore, portOf, startServer } from './stores.ts'

const CREATES_PER_SECOND = 300
/** More than are sent: none is sent a second time with its key. */
const CREATES_MAX = 100_000
const LOSSES = ['nothing', 'the service', 'Litestream'] as const

const between = (least: number, most: number) => Bun.sleep(least + Math.random() * (most - least))

export const machinesLost: Prepare = async ({ plan, store, report }) => {
  await installLitestream()
  const copies = join(store.folder, `copies-of-machines-${Bun.nanoseconds()}`)
  const newMachine = () => {
    const folder = join(store.folder, `machine-${Bun.nanoseconds()}`)
    mkdirSync(folder)
    return join(folder, 'petstore.db')
  }
  let database = newMachine()
  const copying = () => toFolder(join(store.folder, 'machines.yml'), database, copies)
  const start = (flags: string[]) => startServer({ database }, { env: { PETSTORE_BOOTSTRAP_KEY: store.key }, flags })
  const first = await start([])
  const port = ['--port', `${portOf(first)}`]
  let [server, litestream] = [first, await startCopying(copying())]
  const faults: string[] = []
  let given = 0

  /** One of both is killed, and started again. */
  async function disturb(what: (typeof LOSSES)[number]): Promise<void> {
    if (what === 'the service') {
      await server.stop('SIGKILL')
      server = await start(port)
    }
    if (what === 'Litestream') {
      litestream.kill('SIGKILL')
      await litestream.exited
      await between(0, 1_000)
      litestream = await startCopying(copying())
    }
  }
  async function lose(startedAt: number): Promise<void> {
    const killedAt = Date.now()
    litestream.kill('SIGKILL')
    await Promise.all([server.stop('SIGKILL'), litestream.exited])
    const [lost, from] = [database, copying()]
    const next = newMachine()
    const copy = join(dirname(next), 'copy.db')
    const restored = await restoreCopy(from, copy)
    if (restored.status !== 0) throw new Error(restored.stdout + restored.stderr)
    const checked = await run(['check-backup', copy])
    if (checked.status !== 0) faults.push(checked.stderr)
    const { lostMs, last, ...compared } = compare(lost, copy, { startedAt, killedAt, given })
    faults.push(...compared.faults)
    given = last
    if (lostMs > plan.bound) faults.push(`lost what was kept ${lostMs} ms before the kill`)
    await petstore(['restore', copy, '--database', next])
    database = next
    server = await start(port)
    report(`a machine was lost with its last ${lostMs} ms; the next answered after ${Date.now() - killedAt} ms`)
    litestream = await startCopying(copying())
  }
  return {
    server: first,
    streams: {
      creates: {
        requests: keyedCreates(store.key, CREATES_MAX),
        perSecond: CREATES_PER_SECOND,
        connectionsMax: 8,
      },
    },
    async happen() {
      for (let n = 0; n < plan.machines; n++) {
        const startedAt = Date.now()
        await between(300, 1_500)
        await disturb(LOSSES[n % LOSSES.length] as (typeof LOSSES)[number])
        await between(300, 2_500)
        await lose(startedAt)
      }
    },
    judge: ({ figures }) => {
      const wrong = Object.entries(figures.creates?.wrong ?? {}).map(([what, count]) => `${count} × ${what}`)
      return [...faults, ...wrong]
    },
    async after() {
      litestream.kill('SIGKILL')
      await Promise.all([server.stop('SIGKILL'), litestream.exited])
    },
  }
}

/**
 * The copy with the store that was lost: what is lost was kept last, nothing is there twice or in another order, and no id is
 * given that was `given` before the machine started.
 */
function compare(lost: string, copy: string, at: { startedAt: number; killedAt: number; given: number }) {
  using store = new Database(lost, { readwrite: true, create: false })
  store.run('ATTACH ? AS copy', [copy])
  const numberOf = (sql: string) => store.query<{ n: number | null }, []>(`SELECT ${sql}`).get()?.n ?? 0
  const missing = 'main.pets WHERE id NOT IN (SELECT id FROM copy.pets)'
  const last = numberOf('max(id) AS n FROM main.pets')
  const firstLost = numberOf(`min(id) AS n FROM ${missing}`)
  const oldestLost = numberOf(`min(created_at) AS n FROM ${missing}`)
  const isWrong: Record<string, boolean> = {
    'the copy has pets that the store had not':
      numberOf(`count(*) AS n FROM (SELECT id, name FROM copy.pets EXCEPT SELECT id, name FROM main.pets)`) > 0,
    'a pet is lost, and later ones are there': firstLost > 0 && firstLost < numberOf('max(id) AS n FROM copy.pets'),
    'a pet is there twice': numberOf('count(*) - count(DISTINCT name) AS n FROM copy.pets') > 0,
    'an id is given a second time':
      at.given > 0 &&
      numberOf(`count(*) AS n FROM main.pets WHERE created_at > ${at.startedAt} AND id <= ${at.given}`) > 0,
    'events are out of order':
      numberOf(`count(*) AS n FROM (SELECT pet_id, lag(pet_id) OVER (ORDER BY id) AS before FROM copy.events)
        WHERE pet_id <= before`) > 0,
  }
  const faults = Object.keys(isWrong).filter((fault) => isWrong[fault])
  return { faults, last, lostMs: oldestLost === 0 ? 0 : Math.max(0, at.killedAt - oldestLost) }
}
