// The audit of corrections: the feed and the tables, held against the answers to who renamed, freed, added and deleted pets and changed
// pending orders.

import type { Seen } from './event-readers.ts'
import { type OrderRow, placementOf, type Tables } from './order-audit.ts'
import type { Journal } from './order-journal.ts'

/** Broken promises, each in a sentence. `events`: all of them. No client may be active. */
export function auditCorrections(tables: Tables, events: readonly Seen[], journal: Journal): string[] {
  const changes = Map.groupBy(doneOf(journal, 'change'), ({ target }) => Number(target))
  const possible = Map.groupBy(journal.possible(), (request) => /^change (\d+)/.exec(request)?.[1])
  const told = Map.groupBy(events, ({ type, orderId }) => (type === 'order.changed' ? orderId : undefined))
  return [
    ...auditAdditions(events, journal),
    ...auditRenames(events, journal),
    ...auditFreed(tables, journal),
    ...auditDeletions(tables, events, journal),
    ...tables.orders.flatMap((order) => [
      ...auditChanges(
        order,
        changes.get(order.id) ?? [],
        possible.get(`${order.id}`)?.length ?? 0,
        told.get(order.id) ?? [],
        journal,
      ),
    ]),
    ...auditRefusals(tables, journal),
  ]
}

interface Done {
  readonly request: string
  /** The second word of the request. */
  readonly target: string
  readonly text: string
}

function doneOf({ done }: Journal, operation: string): Done[] {
  const all = Array.from(done, ([request, text]) => ({ request, target: request.split(' ')[1] ?? '', text }))
  return all.filter(({ request }) => request.startsWith(`${operation} `))
}

/** Each pet that was acknowledged is told once, as it was answered, whatever became of it. */
function* auditAdditions(events: readonly Seen[], journal: Journal): Generator<string> {
  const told = new Map<string, Seen['pet']>()
  for (const { type, pet } of events) {
    if (type !== 'pet.added' || !pet?.name.startsWith('pet-')) continue
    const request = `add ${pet.name}`
    if (told.has(request)) yield `${request} is told twice`
    if (!journal.mayHaveHappened(request)) yield `${request} is told, and was refused`
    told.set(request, pet)
  }
  for (const { request, text } of doneOf(journal, 'add')) {
    const shown = told.get(request)
    if (!Bun.deepEquals(JSON.parse(text) as Seen['pet'], shown))
      yield `${request} was acknowledged as ${text} and is told as ${JSON.stringify(shown)}`
  }
}

/** Each rename is told once, and not before one whose answer had come when it was sent. The last one is the name (event-audit.ts). */
function* auditRenames(events: readonly Seen[], journal: Journal): Generator<string> {
  const told = new Set<string>()
  const last = new Map<number, { name: string; request?: string }>()
  for (const { id, type, petId, pet } of events) {
    if (!pet) continue
    const before = last.get(petId)
    if (type === 'pet.added') last.set(petId, { name: pet.name })
    // It was freed.
    if (type !== 'pet.changed' || before?.name === pet.name) continue
    const request = `rename ${petId} ${pet.name}`
    if (!journal.mayHaveHappened(request)) yield `event ${id} tells ${request}, which was refused`
    if (told.has(request)) yield `event ${id} tells ${request} again`
    if (before?.request && journal.isBefore(request, before.request))
      yield `${request} is told after ${before.request}, and was answered before that was sent`
    told.add(request)
    last.set(petId, { name: pet.name, request })
  }
  for (const { request } of doneOf(journal, 'rename')) if (!told.has(request)) yield `${request} is lost`
}

function* auditFreed({ pets, orders }: Tables, journal: Journal): Generator<string> {
  const ordered = new Set(orders.map(({ petId }) => petId))
  const statuses = new Map(pets.map(({ id, status }) => [id, status]))
  for (const { request, target, text } of doneOf(journal, 'free')) {
    const [id, answered] = [Number(target), (JSON.parse(text) as { status: string }).status]
    const status = statuses.get(id) ?? 'available'
    if (answered !== 'available' || (!ordered.has(id) && status !== 'available')) yield `${request} is lost`
  }
}

function* auditDeletions({ pets }: Tables, events: readonly Seen[], journal: Journal): Generator<string> {
  const there = new Set(pets.map(({ id }) => id))
  const told = new Set(events.filter(({ type }) => type === 'pet.deleted').map(({ petId }) => petId))
  for (const id of told) {
    if (there.has(id)) yield `pet ${id} is told as deleted, and is there`
    if (!journal.mayHaveHappened(`delete ${id}`)) yield `pet ${id} is deleted, and every such request was refused`
  }
  for (const { request, target } of doneOf(journal, 'delete')) if (!told.has(Number(target))) yield `${request} is lost`
}

/** Of one order: each acknowledged change is one event, and its reference is that of a last one. No change came after the reservation's end. */
function* auditChanges(
  { id, reference }: OrderRow,
  done: readonly Done[],
  possible: number,
  told: readonly Seen[],
  journal: Journal,
): Generator<string> {
  const change = reference.split('~')[1]
  const last = change === undefined ? undefined : `change ${id} ${change}`
  if (last && !journal.mayHaveHappened(last)) yield `order ${id} is called ${reference}, and ${last} was refused`
  for (const { request } of done)
    if (!last || journal.isBefore(last, request)) yield `${request} is lost: order ${id} is called ${reference}`

  const answers = done.map(({ request, text }) => ({ request, ...(JSON.parse(text) as Answer) }))
  const times = Map.groupBy(told, ({ at }) => at)
  for (const [at, sameTime] of Map.groupBy(answers, ({ changedAt }) => changedAt))
    if ((times.get(at)?.length ?? 0) < sameTime.length) yield `of order ${id}, a change at ${at} is not told`
  if (told.length > possible) yield `order ${id}: ${told.length} changes are told, ${possible} may have happened`
  if (possible > done.length) return

  // Only acknowledged ones: so its earlier ends are known.
  const first = journal.done.get(`place ${placementOf(reference)}`)
  if (first === undefined) return
  const ends = [{ request: '', changedAt: '', expiresAt: (JSON.parse(first) as Answer).expiresAt }, ...answers]
  for (const { request, changedAt } of answers) {
    const earlier = ends.filter((one) => one.request !== request && one.changedAt <= changedAt)
    if (!earlier.some(({ expiresAt }) => expiresAt === undefined || expiresAt > changedAt))
      yield `${request} was acknowledged at ${changedAt}, after the end of the reservation`
  }
}

interface Answer {
  changedAt: string
  expiresAt?: string
}

/** What is never undone is still so: a pet that is not found is gone, and orders of a pet are there. */
function* auditRefusals({ pets, orders }: Tables, { refusals }: Journal): Generator<string> {
  const there = new Set(pets.map(({ id }) => id))
  const ordered = new Set(orders.map(({ petId }) => petId))
  for (const refusal of refusals) {
    const [code = '', id] = refusal.split(' ')
    if (/^(pet_)?not_found$/.test(code) && there.has(Number(id))) yield `pet ${id} was not found, and is there`
    if (code === 'pet_has_orders' && !ordered.has(Number(id)))
      yield `pet ${id} has no orders, and was said to have some`
  }
}
