// What is lost at the border of pages, and what is kept after it was deleted.

import type { Received, Sent } from '../clients.ts'
import {
  answer,
  answered,
  type Body,
  current,
  events,
  idOf,
  isRead,
  json,
  type Making,
  of,
  operationOf,
  shifted,
  withBody,
} from './fault.ts'

const hasCursor = ({ path }: Sent) => /cursor=/.test(path)
const linksOf = (received: Received, change: (links: string[]) => string[]) =>
  change((received.headers.get('Link') ?? '').split(/, (?=<)/).filter((link) => link !== '')).join(', ')
/** Without links of this kind. */
const unlinked =
  (rel: string): Making =>
  () =>
    of('listPets listOrders', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200 || sent.method === 'HEAD') return received
      const links = linksOf(received, (all) => all.filter((link) => !link.includes(`rel="${rel}"`)))
      return withBody(received, json(received), links)
    })

/** The end that was asked for, a little later. */
function later(_: string, to: string): string {
  return `&to=${encodeURIComponent(shifted(decodeURIComponent(to), 100))}`
}

export const BORDERS: Readonly<Record<string, Making>> = {
  'a cursor one too far': answered('listPets listOrders', (rows, sent) => (hasCursor(sent) ? rows.slice(1) : rows)),
  'the last row of a page is missing': answered('listPets', (rows, sent) =>
    rows.length > 4 && !hasCursor(sent) ? rows.slice(0, -1) : rows,
  ),
  'a link where nothing follows': () =>
    of('listPets listOrders', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200 || sent.method === 'HEAD') return received
      const next = `</v1${sent.path}&cursor=AAAA>; rel="next"`
      return withBody(
        received,
        json(received),
        linksOf(received, (all) => [next, ...all.filter((link) => !/next/.test(link))]),
      )
    }),
  'no link to the next page': unlinked('next'),
  'no link to the page before': unlinked('prev'),
  'a place in the feed one too far': events((rows, sent) => (hasCursor(sent) ? rows.slice(1) : rows)),
  'the last event of a page is missing': events((rows) => (rows.length > 1 ? rows.slice(0, -1) : rows)),
  'a page in the wrong direction': answered('listOrders', (rows, sent) => (hasCursor(sent) ? rows.toReversed() : rows)),
  'a page longer than its limit': () =>
    of('listPets', (sent, pass) => pass({ ...sent, path: sent.path.replace(/limit=(\d)(?=&|$)/, 'limit=1$1') })),
  'the newest event is missing': events((rows, sent) =>
    /sort=newest/.test(sent.path) && !hasCursor(sent) ? rows.slice(1) : rows,
  ),
  'a place in the feed one too far back': events((rows, sent) =>
    /sort=newest/.test(sent.path) && hasCursor(sent) ? rows.slice(1) : rows,
  ),
  'the event at the end that was asked for': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&to=([^&]+)/, later) })),
  'a feed that begins one too late': events((rows, sent) => (/from=2/.test(sent.path) ? rows.slice(1) : rows)),
}

/** Pets that were deleted, as they were last seen. */
function deleted(show: (received: Received, gone: ReadonlyMap<number, Body>, sent: Sent) => Received): Making {
  return () => {
    const gone = new Map<number, Body>()
    return async (sent, pass) => {
      if (operationOf(sent) !== 'deletePet') return show(await pass(sent), gone, sent)
      const last = await current(sent, pass)
      const received = await pass(sent)
      if (received.status === 204 && last.status === 200) gone.set(idOf(sent), json(last))
      return received
    }
  }
}

export const KEPT: Readonly<Record<string, Making>> = {
  'a deleted pet that is read': deleted((received, gone, sent) => {
    const pet =
      operationOf(sent) === 'getPet' && sent.method === 'GET' && received.status === 404
        ? gone.get(idOf(sent))
        : undefined
    return pet ? answer(200, pet, new Response('', { headers: { ETag: '""' } }) as unknown as Received) : received
  }),
  'a deleted pet that is found': deleted((received, gone, sent) => {
    const word = /search=(\w+)/.exec(sent.path)?.[1]
    if (!word || operationOf(sent) !== 'listPets' || hasCursor(sent) || received.status !== 200) return received
    const found = [...gone.values()].filter(({ name }) => name.startsWith(word))
    if (found.length === 0 || sent.method === 'HEAD') return received
    const sign = sent.path.includes('newest') ? -1 : 1
    const rows: Body[] = [...json(received), ...found].sort((one, other) => sign * (one.id - other.id))
    return withBody(received, rows.slice(0, Number(/limit=(\d+)/.exec(sent.path)?.[1])))
  }),
  'a deleted pet that is listed': deleted((received, gone, sent) => {
    const [pet] = [...gone.values()].slice(-1)
    if (!pet || sent.path !== '/pets?limit=5&sort=newest' || received.status !== 200 || sent.method === 'HEAD')
      return received
    return withBody(received, [pet, ...json(received).slice(0, 4)])
  }),
  'deletions that the inventory does not follow': deleted((received, gone, sent) => {
    if (operationOf(sent) !== 'getInventory' || received.status !== 200 || sent.method === 'HEAD') return received
    return withBody(received, { ...json(received), sold: json(received).sold + gone.size })
  }),
  'a deletion that takes the replay with it': deleted((received, gone) => {
    if (!received.headers.has('Idempotency-Replayed') || received.status !== 201) return received
    const { id } = json(received)
    return gone.has(id) ? answer(404, { code: 'not_found', message: `No pet has id ${id}.`, status: 404 }) : received
  }),
  'a revoked key that goes on': () => {
    let last: string | undefined
    return async (sent, pass) => {
      const received = await pass(sent)
      const { Authorization = '' } = sent.headers
      if (received.status < 300) last = Authorization
      if (received.status !== 401 || !isRead(sent) || last === undefined) return received
      return pass({ ...sent, headers: { ...sent.headers, Authorization: last } })
    }
  },
}
