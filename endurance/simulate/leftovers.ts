// Checks the servers at the end of a run, after a quiet period: they work again, nothing remains of requests that have ended, a stop ends
// everything, and what the servers counted in memory is in the store.

import { type ApiKey, type DeprecatedCalls, generateKey, hashKey } from '../../packages/service/src/domain/keys.ts'
import type { Rate } from '../../packages/service/src/domain/limits.ts'
import { OVERLOADED } from '../../packages/service/src/domain/petstore-error.ts'
import { sleep, wallMs } from '../../packages/service/src/system/runtime.ts'
import { bodyOf, type Operation } from '../history/operations.ts'
import type { Host } from './host.ts'
import type { Received } from './messages.ts'
import type { Servers } from './servers.ts'

/** Longer than any wait for events, and than a request whose client has left. */
const QUIET_MS = 5_000
/** After other failures, a server may not have saved its counts, and its limits start again. */
const KEEPS_COUNTS = ['frozen', 'disk', 'stopped']
const KEEPS_LIMITS = ['frozen', 'disk']
/** Much longer than the interval between two looks for changes of other servers. */
const WOKEN_MS_MAX = 1_000
/** The servers save their counts more often. */
const SAVED_MS_MAX = 6_000
const RESERVED_MS = 300
/** The contract of placeOrder, and a second for pauses of the process. */
const EXPIRED_MS_MAX = 2_000
/** A stop still handles requests that arrive within 200 ms. */
const DRAINING_MS = 100
const ACCEPTING_MS = 249
/** Longer than the time between two backups. */
const BACKED_UP_MS = 4_000
/** Longer than the interval between two looks at the end of the feed. */
const LOOKED_MS = 100
const CREATES = 10
/** A response is cached when it is requested again. */
const CACHED_AFTER = 2
/** The name of a key that is first used at the end. */
const LATE = 'late'
const PET = { name: 'Last', categoryId: 1 }

interface Facts {
  /** The names of the failures. */
  readonly broken: readonly string[]
  /** Valid API keys. The first one has full access. */
  readonly keys: readonly [string, ...string[]]
  readonly rate: Rate | undefined
}

/** Stops all servers. Returns the problems. */
export async function leftovers(servers: Servers, operations: readonly Operation[], facts: Facts): Promise<string[]> {
  const { hosts, problems } = servers
  const [host] = hosts as [Host]
  const [key] = facts.keys
  const had = (...kinds: string[]) => facts.broken.every((kind) => kinds.includes(kind))
  await sleep(QUIET_MS)
  if (servers.forwardKey) problems.push(...(await forwarded(host, key)))
  const late = generateKey('production')
  const created = { name: LATE, hash: hashKey(late), readOnly: true, expiresAt: undefined }
  const create = () => host.call({ call: 'store', method: 'createKey', argument: created })
  // The first write after a failure opens the store again, which can fail while another process writes.
  await create().catch(() => sleep(QUIET_MS).then(create))
  let lateAt = 0
  for (const one of hosts) {
    problems.push(...(await working(hosts, one, facts.keys)), ...(await remaining(one)))
    lateAt = wallMs()
    await failToSave(one, late)
  }
  for (const n of hosts.keys()) if (n > 0) await servers.stop(n)
  problems.push(...(await expiring(host, key)))
  const usedAt = await lateUse(servers, key)
  const warnings = new Set(hosts.flatMap((one) => one.warnings.splice(0)))
  problems.push(...silent(operations, warnings, had(...KEEPS_COUNTS)))
  servers.start(0)
  const keys = await host.call<ApiKey[]>({ call: 'store', method: 'listKeys' })
  const calls = await host.call<DeprecatedCalls[]>({ call: 'store', method: 'listDeprecatedCalls' })
  if (servers.forwardKey) problems.push(...(await filesLeft(servers, facts.broken.includes('clock'))))
  await servers.stop(0)
  problems.push(...hosts.flatMap((one) => one.crashes.splice(0)))
  if ((keys[0]?.lastUsedAt ?? 0) < usedAt) problems.push('a use of a key during a stop is not saved')
  if (had(...KEEPS_COUNTS)) problems.push(...uncounted(operations, keys, calls, { uses: hosts.length, at: lateAt }))
  if (facts.rate && had(...KEEPS_LIMITS)) problems.push(...tooMany(operations, facts.rate))
  return problems
}

function ask(host: Host, key: string, path: string, body?: object, method = 'GET'): Promise<Received> {
  const headers: [string, string][] = [['Authorization', `Bearer ${key}`]]
  if (!body) return host.respond(`http://127.0.0.1${path}`, { method, headers, body: null })
  const sent = Buffer.from(JSON.stringify(body))
  headers.push(['Content-Type', 'application/json'], ['Content-Length', `${sent.length}`])
  return host.respond(`http://127.0.0.1${path}`, { method: 'POST', headers, body: sent })
}

/** Makes the server's disk fail while a reader waits, during commits, and while keys are looked up. */
async function failing(host: Host, other: Host, [key, ...others]: Facts['keys']): Promise<string[]> {
  const waiting = ask(host, key, '/v1/store/events?from=now&wait=3')
  await sleep(LOOKED_MS)
  host.failDisk('read')
  await ask(other, key, '/v1/pets', PET)
  await sleep(LOOKED_MS)
  host.failDisk('none')
  await waiting
  const inventory = async (one: Host) => {
    const { status, body } = await ask(one, key, '/v1/store/inventory')
    return status === 429 ? undefined : Buffer.from(body).toString()
  }
  for (let n = 0; n < CACHED_AFTER; n++) await inventory(host)
  host.failDisk('after')
  await ask(host, key, '/v1/pets', PET)
  host.failDisk('none')
  // A reservation can end between two requests.
  const isFresh = async () => {
    const [own, its] = [await inventory(host), await inventory(other)]
    return own === its || own === undefined || its === undefined
  }
  const isStale = !(await isFresh()) && !(await isFresh())
  host.failDisk('after')
  const name = `doubtful${wallMs()}`
  await Promise.all(Array.from({ length: CREATES }, () => ask(host, key, '/v1/pets', { ...PET, name })))
  host.failDisk('none')
  const { body } = await ask(host, key, `/v1/pets?search=${name}&limit=100`)
  const { length } = JSON.parse(Buffer.from(body).toString())
  // The failed commit opened the store again, so the server looks up keys again.
  host.failDisk('read')
  for (const one of others) await ask(host, one, '/v1/store/inventory')
  host.failDisk('none')
  return [
    ...(length > CREATES ? [`${CREATES} creates add ${length} pets if a commit fails`] : []),
    ...(isStale ? ['the inventory is from before a commit whose outcome was unknown'] : []),
  ]
}

/** Each server works after its disk failed: it accepts all keys, and wakes a reader when another server changes something. */
async function working(hosts: readonly Host[], host: Host, [key, ...others]: Facts['keys']): Promise<string[]> {
  const other = hosts.find((one) => one !== host) ?? host
  const problems = await failing(host, other, [key, ...others])
  const ready = await ask(host, '', '/readyz')
  const refused: number[] = []
  for (const one of others) refused.push((await ask(host, one, '/v1/store/inventory')).status)
  const reading = ask(host, key, '/v1/store/events?from=now&wait=3')
  await sleep(WOKEN_MS_MAX)
  const created = await ask(other, key, '/v1/pets', PET)
  const woken = await Promise.race([reading, sleep(WOKEN_MS_MAX)])
  const isWoken = woken?.status === 200 && Buffer.from(woken.body).includes('pet.added')
  return [
    ...problems,
    ...(ready.status === 200 ? [] : [`/readyz answers ${ready.status} after a quiet period`]),
    ...(created.status === 201 ? [] : [`a create gets ${created.status} after a quiet period`]),
    ...(isWoken ? [] : ['a waiting reader is not woken after a quiet period']),
    ...refused
      .filter((status) => status !== 200 && status !== 429)
      .map((status) => `a valid key gets ${status} after a quiet period`),
  ]
}

/** Makes a deprecated call with a new key. At first, neither the call nor the use of the key can be saved. */
async function failToSave(host: Host, key: string): Promise<void> {
  await ask(host, key, '/v1/pets/1')
  host.failDisk('full')
  await sleep(SAVED_MS_MAX)
  host.failDisk('none')
}

/** The receiver gets every event at least once and in order, and only the last one twice. */
async function forwarded(host: Host, key: string): Promise<string[]> {
  const ids: number[] = []
  for (let page = ''; ; ) {
    const { status, headers, body } = await ask(host, key, `/v1/store/events?limit=100&${page || 'from=beginning'}`)
    if (status === 429) await sleep(1_000)
    if (status === 429) continue
    if (status !== 200) return [`the feed gets ${status} after a quiet period`]
    const events: { id: number }[] = JSON.parse(Buffer.from(body).toString())
    if (events.length === 0) break
    ids.push(...events.map(({ id }) => id))
    page = `cursor=${/cursor=([^>&]*)/.exec(headers.find(([name]) => name === 'link')?.[1] ?? '')?.[1]}`
  }
  for (let left = 100; left > 0 && host.events.findLast((one) => one.isTaken)?.event !== ids.at(-1); left--)
    await sleep(1_000)
  await host.call({ call: 'stopForwarding' })
  let taken = -1
  for (const { event, isTaken } of host.events.splice(0)) {
    if (event !== ids[taken] && event !== ids[taken + 1]) return [`event ${event} was forwarded after ${ids[taken]}`]
    if (isTaken) taken = ids.indexOf(event)
  }
  return taken === ids.length - 1 ? [] : [`event ${ids[taken + 1]} was not forwarded`]
}

/** A good backup removes what failures left. Backups that are dated in the future stay. */
async function filesLeft(servers: Servers, hasFuture: boolean): Promise<string[]> {
  for (const n of servers.hosts.keys()) if (n > 0) servers.start(n)
  await sleep(BACKED_UP_MS)
  const left = await Promise.all(servers.hosts.map((host) => host.call<string[]>({ call: 'left', hasFuture })))
  for (const n of servers.hosts.keys()) if (n > 0) await servers.stop(n)
  return left.flat()
}

/** A server alone expires a reservation, even if it is cancelled just after its end. */
async function expiring(host: Host, key: string): Promise<string[]> {
  const idOf = ({ body }: Received) => Number(JSON.parse(Buffer.from(body).toString()).id)
  const reserve = async () => {
    const petId = idOf(await ask(host, key, '/v1/pets', PET))
    const expiresAt = new Date(wallMs() + RESERVED_MS).toISOString()
    return `/v1/store/orders/${idOf(await ask(host, key, '/v1/store/orders', { petId, expiresAt }))}`
  }
  const [untouched, cancelled] = [await reserve(), await reserve()]
  await sleep(RESERVED_MS)
  await ask(host, key, cancelled, undefined, 'DELETE')
  await sleep(EXPIRED_MS_MAX)
  const isExpired = async (order: string) => Buffer.from((await ask(host, key, order)).body).includes('"expired"')
  return [
    ...((await isExpired(untouched)) ? [] : ['a server alone does not expire a reservation in time']),
    ...((await isExpired(cancelled)) ? [] : ['a reservation is cancelled after its end']),
  ]
}

/** Stops the first server, and sends a request in the meantime. Resolves with the time of the request. */
async function lateUse(servers: Servers, key: string): Promise<number> {
  const stopping = servers.stop(0)
  // It is often in flight when the server accepts no more requests, and gets its response, or is rejected.
  const last = sleep(ACCEPTING_MS).then(() => ask(servers.hosts[0] as Host, key, '/v1/pets?search=last'))
  last.catch(() => undefined)
  await sleep(DRAINING_MS)
  const at = wallMs()
  await ask(servers.hosts[0] as Host, key, '/v1/store/inventory')
  await stopping
  return at
}

async function remaining(host: Host): Promise<string[]> {
  const sizes = await host.call<Record<string, number>>({ call: 'sizes' })
  return Object.entries(sizes).flatMap(([name, size]) => (size === 0 ? [] : `${size} ${name} remain`))
}

/** Failures without a line in the log. A killed server loses its count of overloads. */
function* silent(operations: readonly Operation[], warnings: ReadonlySet<string>, keepsCounts: boolean) {
  for (const operation of operations.filter(({ status }) => status >= 500)) {
    const isOverload = bodyOf<{ message: string }>(operation).message === OVERLOADED.message
    const line = isOverload ? 'overloaded' : 'failed'
    if (!warnings.has(line) && (keepsCounts || !isOverload)) yield `a ${operation.status} without "${line}" in the log`
  }
}

/** Uses of keys and deprecated calls that are not in the store. */
function* uncounted(
  operations: readonly Operation[],
  keys: readonly ApiKey[],
  calls: readonly DeprecatedCalls[],
  late: { uses: number; at: number },
) {
  const used = operations.filter(({ status }) => status >= 200 && ![401, 429, 503].includes(status))
  for (const { id, name, lastUsedAt = 0 } of keys) {
    const own = used.filter(({ key }) => key === name)
    const last = own.reduce((latest, { from }) => Math.max(latest, from), name === LATE ? late.at : 0)
    if (lastUsedAt < last) yield `the key ${name} was used at ${last}, but its last use is ${lastUsedAt}`
    const extra = name === LATE ? late.uses : 0
    const asked = extra + own.filter(({ ask, method }) => ask.kind === 'pet' && /GET|HEAD/.test(method)).length
    const saved = calls.filter(({ keyId }) => keyId === id).reduce((sum, one) => sum + one.calls, 0)
    if (saved < asked) yield `${asked} deprecated calls of ${name}, but ${saved} are saved`
  }
}

/** Keys with more requests than their rate limit: a full bucket and its additions during the time. */
function* tooMany(operations: readonly Operation[], { requests, periodSeconds }: Rate) {
  const allowed = operations.filter(({ status }) => status > 0 && ![401, 403, 429, 503].includes(status))
  for (const [name, own] of Map.groupBy(allowed, ({ server, key }) => `${key} at server ${server}`)) {
    for (const { startedAt: from } of own) {
      const until = from + 1_000 * periodSeconds
      const count = own.filter(({ startedAt, endedAt }) => startedAt >= from && endedAt <= until).length
      if (count <= 2 * requests) continue
      yield `${name} had ${count} requests within ${periodSeconds} s`
      break
    }
  }
}
