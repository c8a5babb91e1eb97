// Hooks without a browser: reading and retrying, lists, customers, selected rows, and one task at a time.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createElement, render, type VNode } from 'preact'
import { until } from '../../../../test/support/until.ts'
import {
  type Order,
  type Pet,
  PetstoreApiError,
  type PetstoreClient,
  PetstoreNetworkError,
} from '../../../client/src/petstore.ts'
import { dayFrom, spanOf } from '../../../files/src/local-time.ts'
import { useAddress } from '../../src/address.ts'
import type { ImportRow } from '../../src/files/rows.ts'
import { useImport } from '../../src/files/use-import.ts'
import { useList } from '../../src/list/list.ts'
import { firstPageOf, type Item, nextPage, type Page } from '../../src/list/list-position.ts'
import { noteOf } from '../../src/list/list-table.tsx'
import { Feed } from '../../src/live/feed.ts'
import { Records } from '../../src/live/records.ts'
import { useEnding } from '../../src/orders/ending.tsx'
import { useHolders } from '../../src/orders/holders.ts'
import { useBusy } from '../../src/parts/busy.ts'
import { noteServiceTime, today } from '../../src/parts/clock.ts'
import { useLoaded, withRetry } from '../../src/parts/loaded.ts'
import { useSelection } from '../../src/selection/use-selection.ts'
import { useMessage } from '../../src/use-store.tsx'
import { fakeClient, order, pet, refused } from './fake-client.ts'

const page = new EventTarget()
const intervals = new Map<number, () => void>()
const ends: (() => void)[] = []
const { setInterval } = globalThis

beforeAll(() => {
  const location = { search: '', href: 'http://localhost/' }
  const history = { pushState: () => undefined, replaceState: () => undefined }
  Object.assign(globalThis, {
    window: page,
    location,
    history,
    document: { ...listening(), visibilityState: 'visible' },
  })
  globalThis.setInterval = ((act: () => void, ms: number) => void intervals.set(ms, act)) as never
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
})
afterAll(() => {
  globalThis.setInterval = setInterval
  for (const name of ['window', 'location', 'history', 'document']) Reflect.deleteProperty(globalThis, name)
})

function listening() {
  const target = new EventTarget()
  const { addEventListener, removeEventListener } = target
  return { addEventListener: addEventListener.bind(target), removeEventListener: removeEventListener.bind(target) }
}

/** Calls a hook in a component without elements. */
function use<Result>(hook: () => Result) {
  const hooked: { current: Result } = { current: undefined as Result }
  const parent = { childNodes: [], firstChild: null, namespaceURI: 'http://www.w3.org/1999/xhtml' } as never
  function Component() {
    hooked.current = hook()
    return null
  }
  render(createElement(Component, null), parent)
  ends.push(() => render(null, parent))
  return hooked
}

/** A feed that has begun to deliver events. */
async function following(client: PetstoreClient) {
  const feed = new Feed(client, `/${ends.length}/`)
  ends.push(() => feed.stop())
  await feed.begun
  return { feed, records: new Records() }
}

/** A read whose attempts the test ends. */
function reading() {
  const attempts: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] = []
  const loaded = use(() =>
    useLoaded((signal) => new Promise<string>((resolve, reject) => attempts.push({ signal, resolve, reject })), []),
  )
  const attempt = (number: number) => until(`attempt ${number}`, () => attempts[number - 1])
  return { loaded, attempts, attempt }
}

test('a failed read keeps the last value, and is repeated after a pause or once the network is back', async () => {
  const { loaded, attempt } = reading()
  ;(await attempt(1)).resolve('one')
  await until('the value', () => loaded.current.value)
  loaded.current.reload()
  ;(await attempt(2)).reject(new PetstoreNetworkError('lost'))
  await until('the failure', () => loaded.current.failure)
  expect(loaded.current.value).toBe('one')
  ;(await attempt(3)).reject(new PetstoreNetworkError('lost'))
  await Bun.sleep(0)
  page.dispatchEvent(new Event('online'))
  ;(await attempt(4)).resolve('two')
  await until('the next value', () => loaded.current.value === 'two')
  expect(loaded.current.failure).toBeUndefined()
})

test('a read is retried after a growing pause, and not before the service allows it', () => {
  const pauseS = (error: Error, before: number) => (withRetry(error, before).retryAt - Date.now()) / 1_000
  const lost = new PetstoreNetworkError('lost')
  expect(pauseS(lost, 0)).toBeWithin(0.7, 1.3)
  expect(pauseS(lost, 20)).toBeWithin(7, 13)
  expect(pauseS(new PetstoreApiError('No.', 'rate_limited', 429, undefined, 3_600_000), 0)).toBeWithin(3_599, 3_601)
})

test('changes during a read are read once more after it, and a refresh that is due does not abort a reload', async () => {
  const { loaded, attempts, attempt } = reading()
  const first = await attempt(1)
  for (let change = 0; change < 3; change++) loaded.current.refresh()
  first.resolve('one')
  const second = await attempt(2)
  second.resolve('two')
  await until('the second value', () => loaded.current.value === 'two')
  const { setTimeout } = globalThis
  let due = () => undefined as unknown
  globalThis.setTimeout = ((act: () => void) => (due = act)) as never
  loaded.current.refresh()
  globalThis.setTimeout = setTimeout
  // The network comes back, and the page renders, just before the refresh is due.
  page.dispatchEvent(new Event('online'))
  await Bun.sleep(0)
  due()
  const third = await attempt(3)
  await Bun.sleep(100)
  expect([third.signal.aborted, attempts.length]).toEqual([false, 3])
})

test('a second start of a running task does nothing', async () => {
  const busy = use(useBusy)
  let started = 0
  const work = async () => void started++
  await Promise.all([busy.current[1](work), busy.current[1](work)])
  expect(started).toBe(1)
})

test('rows show before the counts; without a feed, the list is read again at intervals', async () => {
  const { client, calls, answers } = fakeClient({
    listEvents: () => refused('not_found', 404),
    listPage: () => ({ pets: [pet(1)] }),
    getInventory: () => new Promise(() => undefined),
  })
  const feed = new Feed(client, '/list/')
  ends.push(() => feed.stop())
  const service = { client, feed, records: new Records() }
  const address = { position: firstPageOf('animals'), opened: undefined }
  const list = use(() => useList(service, address))
  const { inventory } = await until('the rows', () => list.current.shown)
  expect(inventory).toBeUndefined()
  answers.listPage = () => ({ pets: [pet(1, { name: 'Luna' })] })
  intervals.get(15_000)?.()
  await until('the new name', () =>
    (list.current.shown as Page).items.some((item) => 'name' in item && item.name === 'Luna'),
  )
  expect(calls.filter(([name]) => name === 'listPage')).toHaveLength(2)
})

test('the customers of a page of rows are read in two requests, and a row keeps a line for its customer', async () => {
  const { client, names } = fakeClient({
    listEvents: ({ cursor }: { cursor?: string }) =>
      cursor ? new Promise(() => undefined) : { events: [], next: 'A' },
    listOrderPage: ({ status }: { status: Order['status'] }) => ({
      orders: Array.from({ length: 20 }, (_, n) => {
        const id = status === 'pending' ? n : n + 21
        return order(id, { petId: BigInt(id), status, reference: `Anna ${id}` })
      }),
    }),
  })
  const pets = Array.from({ length: 42 }, (_, n) => pet(n, { status: n < 21 ? 'pending' : 'sold' }))
  const { feed, records } = await following(client)
  use(() => useHolders({ client, feed, records }, pets))
  const [first, last] = [pets[0] as Pet, pets[20] as Pet]
  expect(noteOf(first, records.holderOf(first))).toEqual({ before: '\u00A0' })
  await until('the last customer', () => records.holderOf(pets[41] as Pet) === null)
  expect(names().filter((name) => name === 'listOrderPage')).toHaveLength(2)
  expect(noteOf(first, records.holderOf(first))).toMatchObject({ before: 'For ', reference: 'Anna 0' })
  expect(noteOf(last, records.holderOf(last))).toEqual({ before: 'Reserved (entered by hand)' })
})

test('a selection spans the pages of a list, follows changes of its rows, and ends with another filter', async () => {
  const first = { ...firstPageOf('animals'), limit: 2 }
  const pageOf = (position: typeof first, ...items: Item[]) => ({
    position,
    shown: { position, items, next: 'A', prev: undefined, inventory: undefined },
  })
  let list = pageOf(first, pet(1), pet(2))
  const records = new Records()
  const selected = use(() => useSelection(list, records))
  const chosen = () =>
    [...(selected.current.selection?.chosen.values() ?? [])].map((item) => 'name' in item && item.name)
  const choose = async (...items: Item[]) => {
    selected.current.selection?.choose(items, true)
    await Bun.sleep(0)
  }
  selected.current.begin()
  await until('the selection', () => selected.current.selection)
  records.keep([pet(1, { name: 'Luna' })])
  await choose(pet(1))
  list = pageOf(nextPage(first, 'A') as typeof first, pet(3))
  await choose(pet(3))
  expect(chosen()).toEqual(['Luna', 'Pet 3'])
  list = pageOf({ ...first, status: 'sold' }, pet(3))
  await choose(pet(3))
  await until('the end of the selection', () => selected.current.selection === undefined)
})

test('Back through records keeps the list that led to them', async () => {
  const address = use(useAddress)
  address.current.go({ ...firstPageOf('animals'), status: 'sold' })
  address.current.go({ kind: 'animal', id: 2n })
  await until('the animal', () => address.current.opened)
  Object.assign(globalThis.location, { search: '?animal=1' })
  page.dispatchEvent(new Event('popstate'))
  await until('the other animal', () => (address.current.opened as { id?: bigint } | undefined)?.id === 1n)
  expect(address.current.position.status).toBe('sold')
  Object.assign(globalThis.location, { search: '' })
})

test('the reservations that end today are others after midnight', async () => {
  const tomorrow = dayFrom(today.value, 1)
  const expiresAt = new Date(Date.parse(spanOf(tomorrow).from) + 60_000).toISOString()
  const fake = fakeClient({
    listEvents: ({ cursor }: { cursor?: string }) =>
      cursor ? new Promise(() => undefined) : { events: [], next: 'A' },
  })
  const client = Object.create(fake.client, { listOrders: { value: () => [order(7, { expiresAt })] } })
  const ending = use(useEnding.bind(undefined, { client, ...(await following(client)) }))
  await until('the reservations of today', () => ending.current.ending)
  expect(ending.current.ending).toEqual([])
  noteServiceTime(spanOf(tomorrow).from)
  await until('the reservations of tomorrow', () => ending.current.ending?.length === 1)
  noteServiceTime(new Date().toUTCString())
})

test('a message that repeats is shown again', async () => {
  const shown = use(useMessage)
  const keys = new Set<unknown>()
  for (let time = 0; time < 2; time++) {
    shown.current.showMessage('Rex is sold.')
    await Bun.sleep(20)
    keys.add((shown.current.message as VNode).key)
  }
  expect(keys.size).toBe(2)
})

test('a response about a file keeps corrected cells and skipped rows; several files are rejected', async () => {
  const importing = use(() => useImport(fakeClient({}).client, () => undefined))
  const rows = () => until('the rows', () => (importing.current.doing ? undefined : importing.current.rows))
  importing.current.choose([new File(['name,category\n,7\nRex,seven\n'], 'pets.csv')])
  const [first, second] = (await rows()) as [ImportRow, ImportRow]
  importing.current.fix(first, { name: 'Mia' })
  importing.current.skip(second, true)
  importing.current.answer({ columns: { name: 0, categoryId: 1 } })
  await Bun.sleep(20)
  expect(await rows()).toMatchObject([{ cells: { name: 'Mia', categoryId: '7' } }, { state: 'skipped' }])
  importing.current.choose([new File([''], 'a.csv'), new File([''], 'b.csv')])
  await until('the reason', () => importing.current.problem === 'Choose one file at a time, not 2.')
})
