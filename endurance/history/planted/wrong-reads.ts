// Events in another order or with other contents; what is seen too late, or on one server of two; what is lost at the border of pages; what is
// kept after it was deleted; times that are wrong.

import type { Received, Sent } from '../clients.ts'
import {
  answer,
  answered,
  type Body,
  current,
  everyRow,
  idOf,
  isRead,
  json,
  type Lie,
  type Making,
  of,
  operationOf,
  shifted,
  withBody,
} from './lie.ts'

const events = (change: (rows: Body[], sent: Sent) => Body[]): Making => answered('listEvents', change)
const withoutEvent = (type: string): Making => events((rows) => rows.filter((row) => row.type !== type))

/** Two events that follow each other have exchanged all but their ids. */
const exchanged =
  (ms: number): Making =>
  () => {
    const known = new Map<number, Body>()
    return of('listEvents', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const rows: Body[] = json(received)
      for (const row of rows) known.set(row.id, row)
      const other = (id: number) => known.get(id % 2 === 0 ? id + 1 : id - 1)
      // The page ends before an event that is too new for the other one to be known.
      const end = rows.findIndex((row) => Date.now() - Date.parse(row.at) < ms)
      if (end >= 0) return withBody(received, [], received.headers.get('Link'))
      return withBody(
        received,
        rows.map((row) => (other(row.id) && /pet\./.test(row.type) ? { ...other(row.id), id: row.id } : row)),
      )
    })
  }

export const ORDER: Readonly<Record<string, Making>> = {
  'two events in the wrong order': exchanged(0),
  'renames that no event tells': withoutEvent('pet.changed'),
  'deletions that no event tells': withoutEvent('pet.deleted'),
  'changes of orders that no event tells': withoutEvent('order.changed'),
  'an event that is told twice': events((rows) => (rows.length > 1 ? [...rows.slice(0, -1), ...rows.slice(-2)] : rows)),
  'the status of the pet before it was sold': events((rows) =>
    rows.map((row) => (row.type === 'order.completed' ? { ...row, petStatus: 'pending' } : row)),
  ),
  'a pet that is told as it is now': () => {
    const latest = new Map<number, Body>()
    return of('listEvents', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const rows: Body[] = json(received)
      for (const row of rows) if (row.pet) latest.set(row.petId, row.pet)
      return withBody(
        received,
        rows.map((row) => (row.pet ? { ...row, pet: latest.get(row.petId) } : row)),
      )
    })
  },
  'changes in the name of another key': events((rows) => rows.map((row) => (row.by ? { ...row, by: 'first' } : row))),
}

export const TIMES: Readonly<Record<string, Making>> = {
  'a completion dated before its order': everyRow((row) => {
    const status = row.orderStatus ?? row.status
    if (status !== 'completed') return row
    return row.at
      ? { ...row, at: shifted(row.at, -3_600_000) }
      : { ...row, changedAt: shifted(row.changedAt, -3_600_000) }
  }),
  'a clock that is 300 ms behind': everyRow((row) => {
    const at = row.at ? { at: shifted(row.at, -300) } : {}
    return row.placedAt
      ? { ...row, placedAt: shifted(row.placedAt, -300), changedAt: shifted(row.changedAt, -300) }
      : { ...row, ...at }
  }),
  'the time of an order when it was placed': everyRow((row) =>
    row.placedAt ? { ...row, changedAt: row.placedAt } : row,
  ),
  'events of another time than their orders': events((rows) => rows.map((row) => ({ ...row, at: shifted(row.at, 1) }))),
  'ends without milliseconds': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: `${row.expiresAt.slice(0, 19)}.000Z` } : row,
  ),
  'an expiry before its end': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: shifted(row.expiresAt, 60_000) } : row,
  ),
}

/** Reads are answered again for so long, unless what has happened since ends that. */
function cached(
  operations: string,
  ms: number,
  ends: (written: Sent, kept: Sent) => boolean,
  servers = [0, 1],
): Making {
  return () => {
    const kept = new Map<string, { received: Received; sent: Sent; until: number }>()
    const read = of(operations, async (sent, pass) => {
      const name = `${sent.server} ${sent.method} ${sent.path}`
      const found = kept.get(name)
      if (!servers.includes(sent.server)) return pass(sent)
      if (found && found.until > performance.now()) return found.received
      const received = await pass(sent)
      if (received.status === 200) kept.set(name, { received, sent, until: performance.now() + ms })
      return received
    })
    return async (sent, pass) => {
      if (isRead(sent)) return read(sent, pass)
      const received = await pass(sent)
      for (const [name, one] of kept) if (ends(sent, one.sent)) kept.delete(name)
      return received
    }
  }
}

const LISTS = 'listPets listOrders getInventory'
const ALL = `${LISTS} getPet getOrder`
const never = () => false

/** The answer before the last one, while it is young. */
const before =
  (operation: string): Making =>
  () => {
    const kept = new Map<string, [now: Received, before: Received]>()
    return of(operation, async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const name = `${sent.method} ${sent.path}`
      const [now = received, older = received] = kept.get(name) ?? []
      kept.set(name, now.text === received.text ? [now, older] : [received, now])
      return (kept.get(name) as [Received, Received])[1]
    })
  }

export const SEEN_LATE: Readonly<Record<string, Making>> = {
  'a list that is one commit old': before('listPets'),
  'the inventory of the commit before': before('getInventory'),
  'an order as it was when it was last read': before('getOrder'),
  'commits of the other server unseen': cached(LISTS, 500, (written, kept) => written.server === kept.server),
  'own commits unseen': cached(ALL, 100, (written, kept) => written.server !== kept.server),
  'one server of two that is behind': cached(ALL, 60, never, [1]),
  'an answer shared with whoever asks while it is read': () => {
    const reading = new Map<string, Promise<Received>>()
    return of(ALL, (sent, pass) => {
      const name = `${sent.server} ${sent.method} ${sent.path} ${sent.headers.Authorization}`
      const read = async () => {
        const received = await pass(sent)
        await Bun.sleep(20)
        reading.delete(name)
        return received
      }
      const shared = reading.get(name) ?? read()
      reading.set(name, shared)
      return shared
    })
  },
  'events that come after their commit': events((rows) => {
    const end = rows.findIndex(({ at }) => Date.now() - Date.parse(at) < 60)
    return end < 0 ? rows : rows.slice(0, end)
  }),
  'an expiry that is seen before it is committed': answered('getOrder', (body) =>
    body.status === 'pending' && Date.parse(body.expiresAt) <= Date.now() ? { ...body, status: 'expired' } : body,
  ),
  'a search that lacks the newest': () => {
    const since = new Map<number, number>()
    return of('listPets createPet', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status === 201) since.set(json(received).id, performance.now())
      if (received.status !== 200 || !/search=/.test(sent.path)) return received
      const isOld = ({ id }: Body) => performance.now() - (since.get(id) ?? 0) > 150
      return withBody(received, json(received).filter(isOld))
    })
  },
  'a search by former names': () => {
    const lie = cached('listPets', 300, never)()
    return (sent, pass) => (/search=/.test(sent.path) ? lie(sent, pass) : pass(sent))
  },
  'the name that a pet had when it was ordered': () => {
    const names = new Map<number, string>()
    return of('getOrder', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 200) return received
      const order = json(received)
      const petName = names.get(order.id) ?? order.petName
      names.set(order.id, petName)
      return withBody(received, { ...order, petName })
    })
  },
  'a 304 for a changed list': () => tagged((text) => `"${text.length}"`),
  'a tag without the links': () => tagged((text) => `"${Bun.hash(text)}"`),
  'a wait that sleeps': () =>
    of('listEvents', async (sent, pass) => {
      if (!sent.path.includes('&wait=')) return pass(sent)
      const received = await pass({ ...sent, path: sent.path.replace(/&wait=\d+/, '') })
      if (received.text === '[]') await Bun.sleep(2_000)
      return received
    }),
  'a wait that ends at once': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&wait=\d+/, '') })),
}

/** Lists have another tag. */
function tagged(tagOf: (text: string) => string): Lie {
  return of(LISTS, async (sent, pass) => {
    const received = await pass(sent)
    if (received.status !== 200 || sent.method === 'HEAD') return received
    const headers = new Headers(received.headers)
    headers.set('ETag', tagOf(received.text))
    return { ...received, headers }
  })
}

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
