// Checks the servers at the end of a run, after a quiet period: they work again, nothing remains of requests that have ended, a stop ends
// everything, and what the servers counted in memory is in the store.

import type { ApiKey, DeprecatedCalls } from '../../packages/service/src/domain/keys.ts'
import type { Rate } from '../../packages/service/src/domain/limits.ts'
import { OVERLOADED } from '../../packages/service/src/domain/petstore-error.ts'
import { sleep } from '../../packages/service/src/system/runtime.ts'
import { bodyOf, type Operation } from '../history/operations.ts'
import type { Host } from './host.ts'
import { GET, type Servers } from './servers.ts'

/** Longer than any wait for events, and than a request whose client has left. */
const QUIET_MS = 5_000
/** After other failures, a server may not have saved its counts, and its limits start again. */
const KEEPS_COUNTS = ['frozen', 'disk', 'stopped']
const KEEPS_LIMITS = ['frozen', 'disk']
/** Much longer than the interval between two looks for changes of other servers. */
const WOKEN_MS_MAX = 1_000
const PET = Buffer.from('{"name":"Last","categoryId":1}')

interface Facts {
  /** The names of the failures. */
  readonly broken: readonly string[]
  /** An API key with full access. */
  readonly key: string
  readonly rate: Rate | undefined
}

/** Stops all servers. Returns what is wrong. */
export async function leftovers(servers: Servers, operations: readonly Operation[], facts: Facts): Promise<string[]> {
  const { hosts, problems } = servers
  const had = (...kinds: string[]) => facts.broken.every((kind) => kinds.includes(kind))
  await sleep(QUIET_MS)
  for (const host of hosts) problems.push(...(await working(hosts, host, facts.key)), ...(await remaining(host)))
  for (const n of hosts.keys()) await servers.stop(n)
  const warnings = new Set(hosts.flatMap((host) => host.warnings.splice(0)))
  problems.push(
    ...hosts.flatMap((host) => host.crashes.splice(0)),
    ...silent(operations, warnings, had(...KEEPS_COUNTS)),
  )
  servers.start(0)
  const [host] = hosts as [Host]
  const keys = await host.call<ApiKey[]>({ call: 'store', method: 'listKeys' })
  const calls = await host.call<DeprecatedCalls[]>({ call: 'store', method: 'listDeprecatedCalls' })
  await servers.stop(0)
  if (had(...KEEPS_COUNTS)) problems.push(...uncounted(operations, keys, calls))
  if (facts.rate && had(...KEEPS_LIMITS)) problems.push(...tooMany(operations, facts.rate))
  return problems
}

/** Each server answers, and wakes a reader when another server changes something. */
async function working(hosts: readonly Host[], host: Host, key: string): Promise<string[]> {
  const ready = await host.respond('http://127.0.0.1/readyz', GET)
  const authorization: [string, string] = ['Authorization', `Bearer ${key}`]
  const url = 'http://127.0.0.1/v1/store/events?from=now&wait=3'
  const reading = host.respond(url, { ...GET, headers: [authorization] })
  await sleep(WOKEN_MS_MAX)
  const headers: [string, string][] = [
    authorization,
    ['Content-Type', 'application/json'],
    ['Content-Length', `${PET.length}`],
  ]
  const other = hosts.find((one) => one !== host) ?? host
  const created = await other.respond('http://127.0.0.1/v1/pets', { method: 'POST', headers, body: PET })
  const woken = await Promise.race([reading, sleep(WOKEN_MS_MAX)])
  const isWoken = woken?.status === 200 && Buffer.from(woken.body).includes('pet.added')
  return [
    ...(ready.status === 200 ? [] : [`/readyz answers ${ready.status} after a quiet period`]),
    ...(created.status === 201 ? [] : [`a create gets ${created.status} after a quiet period`]),
    ...(isWoken ? [] : ['a waiting reader is not woken after a quiet period']),
  ]
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
function* uncounted(operations: readonly Operation[], keys: readonly ApiKey[], calls: readonly DeprecatedCalls[]) {
  const used = operations.filter(({ status }) => status >= 200 && ![401, 429, 503].includes(status))
  for (const { id, name, lastUsedAt = 0 } of keys) {
    const own = used.filter(({ key }) => key === name)
    const last = own.reduce((latest, { from }) => Math.max(latest, from), 0)
    if (lastUsedAt < last) yield `the key ${name} was used at ${last}, but its last use is ${lastUsedAt}`
    const asked = own.filter(({ ask, method }) => ask.kind === 'pet' && /GET|HEAD/.test(method)).length
    const saved = calls.filter(({ keyId }) => keyId === id).reduce((sum, one) => sum + one.calls, 0)
    if (saved < asked) yield `${asked} deprecated calls of ${name}, but ${saved} are saved`
  }
}

/** Keys with more requests than their rate limit: a full bucket, and what was added during the time. */
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
