// What a run on PostgreSQL checks in addition to the history.

import { OVERLOADED } from '../../../packages/service/src/domain/petstore-error.ts'
import { MAY_BE_CHANGED } from '../../../packages/service/src/store/postgres/write/commits.ts'
import { bodyOf } from '../../history/operations.ts'
import type { World } from '../../history/world.ts'
import type { Cluster } from './cluster.ts'

/** Longer than all waits of a request together: docs/postgresql.md. Servers can pause for the time of a failure. */
const ANSWERED_MS_MAX = 12_000

export function* databaseFaults(cluster: Cluster, world: World): Generator<string> {
  yield* cluster.problems
  for (const operation of world.operations) {
    const { ask, method, path, status, startedAt, settledAt, text } = operation
    const { message } = status === 503 ? bodyOf<{ message?: string }>(operation) : {}
    const isRefused = status === 503 && message !== MAY_BE_CHANGED
    if (isRefused && world.madeAlone(operation).length > 0) yield `${method} ${path} is done, although it got ${text}`
    const isWaiting = ask.kind === 'events' && ask.wait
    if (settledAt - startedAt > ANSWERED_MS_MAX && !isWaiting)
      yield `${method} ${path} took ${Math.round(settledAt - startedAt)} ms`
    const away = cluster.awayWindows.find(({ from, to }) => startedAt > from && settledAt < to)
    if (!away) continue
    if (method === 'GET' && status === 503 && message !== OVERLOADED.message && settledAt < away.cancelledAt)
      yield `${path} gets 503 while only the standby is away: ${text}`
    if (method !== 'GET' && method !== 'HEAD' && status >= 200 && status < 300)
      yield `${method} ${path} gets ${status} although the standby is away`
  }
}
