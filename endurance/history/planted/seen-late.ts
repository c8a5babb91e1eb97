// What is seen too late, or by one server of two.

import type { Received, Sent } from '../clients.ts'
import { answered, type Body, events, type Fault, isRead, json, knowing, type Making, of, withBody } from './fault.ts'

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
        try {
          const received = await pass(sent)
          await Bun.sleep(20)
          return received
        } finally {
          reading.delete(name)
        }
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
    const fault = cached('listPets', 300, never)()
    return (sent, pass) => (/search=/.test(sent.path) ? fault(sent, pass) : pass(sent))
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
  'a 304 with the tag that was sent': knowing(([sent]) => sent, 0.2),
  'a 304 with the tag of a changed answer': knowing((_, tag) => tag),
  'a 200 for what is known': knowing(() => undefined),
  'of two tags that are known the first': knowing(([first], tag) => (first === tag ? tag : undefined)),
  'a tag without the links': () => tagged((text) => `"${Bun.hash(text)}"`),
  'a wait that sleeps': () =>
    of('listEvents', async (sent, pass) => {
      if (!sent.path.includes('&wait=')) return pass(sent)
      const received = await pass({ ...sent, path: sent.path.replace(/&wait=\d+/, '') })
      if (received.text === '[]') await Bun.sleep(1_000 * Number(/&wait=(\d+)/.exec(sent.path)?.[1]))
      return received
    }),
  'a wait that ends at once': () =>
    of('listEvents', (sent, pass) => pass({ ...sent, path: sent.path.replace(/&wait=\d+/, '') })),
}

/** Lists have another tag. */
function tagged(tagOf: (text: string) => string): Fault {
  return of(LISTS, async (sent, pass) => {
    const received = await pass(sent)
    if (received.status !== 200 || sent.method === 'HEAD') return received
    const headers = new Headers(received.headers)
    headers.set('ETag', tagOf(received.text))
    return { ...received, headers }
  })
}
