// Searches on two servers of one store while pets are added, renamed and deleted, orders placed and their references changed, and one of the servers
// is killed. What is found meanwhile must be so, and nothing may be missing that nobody touches. After each kill every answer is compared with
// what a reading of all rows gives.

import { SEARCH_WORDS_MAX } from '../packages/contract/src/limits.ts'
import { temporaryFile } from '../test/support/files.ts'
import { sharedCluster } from '../test/support/postgres.ts'
import { ask } from '../test/support/process.ts'
import { hostileName, modelFinds, modelWords, searchFor } from '../test/support/search-rules.ts'
import { KilledServer } from './killed-server.ts'
import { type Asked, type Item, modelPage } from './search-model.ts'

const WRITERS = 8
const SEARCHERS = 3
const FIRST_PETS = 300
const DAY_MS = 86_400_000

export interface ChangesTally {
  rounds: number
  changes: number
  /** While a server was killed, and of all rows afterwards. */
  beside: number
  compared: number
  found: number
  faults: string[]
}

type Listed = { id: number; status: string }
type ListedPet = Listed & { name: string; categoryId: number }
type ListedOrder = Listed & { petId: number; petName: string; reference?: string }

/** Everything that the store holds, read without a search. */
interface Rows {
  pets: Item[]
  orders: (Item & { petId: bigint })[]
}

export async function proveChanges(
  kind: 'SQLite' | 'PostgreSQL',
  rounds: number,
  searches: number,
  random: () => number,
  report: (line: string) => void = () => {},
): Promise<ChangesTally> {
  const database = kind === 'SQLite' ? temporaryFile('searches.db') : await (await sharedCluster()).newDatabase()
  const one = new KilledServer({ database })
  const other = new KilledServer({ database, key: one.key })
  await one.start()
  await other.start()
  const tally: ChangesTally = { rounds: 0, changes: 0, beside: 0, compared: 0, found: 0, faults: [] }
  const shop = new Shop([one, other], random, tally)
  await Promise.all(Array.from({ length: FIRST_PETS }, () => shop.add()))
  for (; tally.rounds < rounds; tally.rounds++) {
    await shop.round()
    const wanted = Math.ceil((searches * (tally.rounds + 1)) / rounds) - tally.compared
    await shop.compare(wanted)
    if (tally.rounds % 20 === 19) report(`${kind}: ${tallyText(tally)}`)
  }
  if (kind === 'SQLite' && one.checkIntegrity() !== 'ok') tally.faults.push('the file is damaged')
  for (const server of [one, other]) {
    const status = await server.close()
    if (status !== 0) tally.faults.push(`a server ended with status ${status} after SIGTERM`)
  }
  return tally
}

export function tallyText({ rounds, changes, beside, compared, found }: ChangesTally): string {
  return `${rounds} kills under ${changes} changes, ${beside} searches beside them and ${compared} compared with all rows; ${found} rows were found`
}

class Shop {
  private rows: Rows = { pets: [], orders: [] }
  private touched = new Set<bigint>()
  private isOver = false

  constructor(
    private readonly servers: readonly [KilledServer, KilledServer],
    private readonly random: () => number,
    private readonly tally: ChangesTally,
  ) {}

  /** Changes and searches on both servers, one of which is killed. */
  async round(): Promise<void> {
    this.rows = await this.readAll()
    this.touched.clear()
    this.isOver = false
    const victim = this.pick(this.servers)
    const clients = [
      ...Array.from({ length: WRITERS }, () => this.until(() => this.change())),
      ...Array.from({ length: SEARCHERS }, () => this.until(() => this.searchBeside())),
    ]
    await Bun.sleep(50 + this.random() * 150)
    await victim.kill()
    await Bun.sleep(this.random() * 50)
    this.isOver = true
    await Promise.all(clients)
    await victim.startAgain()
  }

  /** Nothing changes meanwhile. */
  async compare(searches: number): Promise<void> {
    this.rows = await this.readAll()
    for (let n = 0; n < searches; n++) {
      const { list, asked, target } = this.newSearch()
      const items = this.rows[list]
      const { url, key } = this.pick(this.servers)
      const seen = await this.page(url, key, target)
      if (!seen) continue
      const expected = modelPage(items, asked)
      this.tally.compared++
      this.tally.found += expected.ids.length
      const [is, must] = [seen, expected].map(({ ids, next, prev }) => `${ids} ${next} ${prev}`)
      if (is !== must) this.fault(`${target}: ${is} instead of ${must}`)
    }
  }

  async add(): Promise<void> {
    const body = JSON.stringify({ name: hostileName(this.random), categoryId: Math.floor(this.random() * 3) })
    await this.send('POST', '/pets', body)
  }

  private async change(): Promise<void> {
    const kind = this.random()
    const { id } = this.rows.pets.length > 0 ? this.pick(this.rows.pets) : { id: 1n }
    if (kind < 0.4) return this.add()
    if (kind < 0.65) return this.touch(id, 'PATCH', `/pets/${id}`, { name: hostileName(this.random) })
    if (kind < 0.75) return this.touch(id, 'DELETE', `/pets/${id}`)
    const reference = hostileName(this.random)
    if (kind < 0.9 || this.rows.orders.length === 0) {
      const expiresAt = new Date(Date.now() + DAY_MS).toISOString()
      return this.touch(id, 'POST', '/store/orders', { petId: Number(id), reference, expiresAt })
    }
    const order = this.pick(this.rows.orders)
    return this.touch(order.petId, 'PATCH', `/store/orders/${order.id}`, { reference: kind < 0.92 ? null : reference })
  }

  private touch(petId: bigint, method: string, path: string, body?: object): Promise<void> {
    this.touched.add(petId)
    return this.send(method, path, body && JSON.stringify(body))
  }

  private async send(method: string, path: string, body?: string): Promise<void> {
    const { url, key } = this.pick(this.servers)
    const { status, text } = await ask(method, url + path, key, body)
    if (status < 300) this.tally.changes++
    else if (![404, 409, 503].includes(status)) this.fault(`${method} ${path} answered ${status}: ${text}`)
  }

  private async searchBeside(): Promise<void> {
    const { list, asked, target } = this.newSearch()
    const items = this.rows[list]
    const { url, key } = this.pick(this.servers)
    const seen = await this.page(url, key, target)
    if (!seen) return
    this.tally.beside++
    const wrong = seen.texts.filter((text) => !modelFinds(text, asked.search))
    if (wrong.length > 0) this.fault(`${target} found ${JSON.stringify(wrong)}`)
    const petOf = new Map(this.rows.orders.map(({ id, petId }) => [id, petId]))
    const isUntouched = (id: bigint) => !this.touched.has(list === 'pets' ? id : (petOf.get(id) ?? id))
    // Behind the last of a full page there may be more.
    const isIn = (id: bigint) => {
      if (asked.back || seen.ids.length < asked.limit) return !asked.back
      const last = seen.ids.at(-1) as bigint
      return asked.sort === 'oldest' ? id <= last : id >= last
    }
    const expected = modelPage(items, { ...asked, limit: items.length }).ids.filter((id) => isIn(id) && isUntouched(id))
    const missing = expected.filter((id) => !seen.ids.includes(id))
    if (missing.length > 0) this.fault(`${target} misses ${list} ${missing}`)
  }

  private newSearch(): { list: keyof Rows; asked: Asked; target: string } {
    const list = this.random() < 0.7 ? 'pets' : 'orders'
    const texts = this.rows.pets.map(({ text }) => text)
    for (;;) {
      const search = searchFor(texts, this.random)
      const { written } = modelWords(search)
      if (written === 0 || written > SEARCH_WORDS_MAX || search.length > 255) continue
      const asked: Asked = {
        search,
        limit: this.pick([1, 7, 20, 100]),
        sort: this.pick(['oldest', 'newest'] as const),
        status: this.pick([undefined, undefined, 'pending']),
        after: undefined,
        back: false,
        ...(list === 'pets' && { categoryId: this.pick([undefined, undefined, 1n]) }),
      }
      const query = Object.entries({ ...asked, after: undefined, back: undefined }).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
      )
      return { list, asked, target: `/${list === 'pets' ? 'pets' : 'store/orders'}?${query.join('&')}` }
    }
  }

  /** `undefined` where the server was not there. */
  private async page(url: string, key: string, target: string) {
    const { status, headers, text } = await ask('GET', url + target, key)
    if (status === 503) return undefined
    if (status !== 200) this.fault(`${target} answered ${status}: ${text}`)
    if (status !== 200) return undefined
    const rows = JSON.parse(text) as (ListedPet & ListedOrder)[]
    const link = headers.get('Link') ?? ''
    return {
      ids: rows.map(({ id }) => BigInt(id)),
      next: link.includes('rel="next"'),
      prev: link.includes('rel="prev"'),
      texts: rows.map(textOf),
    }
  }

  private async readAll(): Promise<Rows> {
    const pets = await this.list<ListedPet>('/pets?limit=100')
    const orders = await this.list<ListedOrder>('/store/orders?limit=100')
    return {
      pets: pets.map(({ id, name, status, categoryId }) => ({
        id: BigInt(id),
        text: name,
        status,
        categoryId: BigInt(categoryId),
      })),
      orders: orders.map((row) => ({
        id: BigInt(row.id),
        petId: BigInt(row.petId),
        text: textOf(row),
        status: row.status,
      })),
    }
  }

  private async list<Of>(first: string): Promise<Of[]> {
    const { url, key } = this.pick(this.servers)
    const rows: Of[] = []
    for (let target: string | undefined = first; target !== undefined; ) {
      const { status, headers, text } = await ask('GET', url + target, key)
      if (status !== 200) throw new Error(`${target} answered ${status}: ${text}`)
      rows.push(...(JSON.parse(text) as Of[]))
      target = /<\/v1([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
    return rows
  }

  /** Until the round is over. A killed server answers nothing. */
  private async until(work: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error)) throw error
        await Bun.sleep(5)
      }
    }
  }

  private fault(text: string): void {
    this.tally.faults.push(`round ${this.tally.rounds}: ${text}`)
  }

  private pick<Of>(of: readonly Of[]): Of {
    return of[Math.floor(this.random() * of.length)] as Of
  }
}

function textOf(row: Partial<ListedPet & ListedOrder>): string {
  return row.name ?? `${row.reference ?? ''} ${row.petName}`
}
