// Checks the servers at the end of a run, after a quiet period: nothing remains of requests that have ended, a stop ends everything, and what
// the servers counted in memory is in the store.

import type { ApiKey, DeprecatedCalls } from '../../packages/service/src/domain/keys.ts'
import { sleep } from '../../packages/service/src/system/runtime.ts'
import type { Operation } from '../history/operations.ts'
import type { Servers } from './servers.ts'

/** Longer than any wait for events, and than a request whose client has left. */
const QUIET_MS = 5_000
/** After other failures, a server may not have saved its counts. */
const KEEPS_COUNTS = ['frozen', 'stopped']

/** Stops all servers. Returns what is wrong. */
export async function leftovers(
  servers: Servers,
  operations: readonly Operation[],
  broken: readonly string[],
): Promise<string[]> {
  const { hosts, problems } = servers
  await sleep(QUIET_MS)
  for (const [n, host] of hosts.entries()) {
    const sizes = await host.call<Record<string, number>>({ call: 'sizes' })
    for (const [name, size] of Object.entries(sizes)) if (size !== 0) problems.push(`${size} ${name} remain`)
    await servers.stop(n)
  }
  servers.start(0)
  const [host] = hosts as [(typeof hosts)[0]]
  const keys = await host.call<ApiKey[]>({ call: 'store', method: 'listKeys' })
  const calls = await host.call<DeprecatedCalls[]>({ call: 'store', method: 'listDeprecatedCalls' })
  await servers.stop(0)
  const crashes = hosts.flatMap((one) => one.crashes.splice(0))
  if (!broken.every((kind) => KEEPS_COUNTS.includes(kind))) return [...problems, ...crashes]
  const used = operations.filter(({ status }) => status >= 200 && ![401, 429, 503].includes(status))
  for (const { id, name, lastUsedAt = 0 } of keys) {
    const own = used.filter(({ key }) => key === name)
    const last = own.reduce((latest, { from }) => Math.max(latest, from), 0)
    if (lastUsedAt < last) problems.push(`the key ${name} was used at ${last}, but its last use is ${lastUsedAt}`)
    const asked = own.filter(({ ask, method }) => ask.kind === 'pet' && /GET|HEAD/.test(method)).length
    const saved = calls.filter(({ keyId }) => keyId === id).reduce((sum, one) => sum + one.calls, 0)
    if (saved < asked) problems.push(`${asked} deprecated calls of ${name}, but ${saved} are saved`)
  }
  return [...problems, ...crashes]
}
