// Waits for counts in the metrics of a server.

import { IN_FLIGHT, WAITING_READERS } from '../../packages/service/src/observability/metrics.ts'
import { until } from './until.ts'

const NAMES = { answering: IN_FLIGHT, waiting: WAITING_READERS }

/** The number of requests in flight, or waiting for events, in the metrics of one or more processes. */
export function countIn(text: string, what: keyof typeof NAMES): number {
  const counts = [...text.matchAll(new RegExp(`^${NAMES[what]} (\\d+)$`, 'gm'))].map(([, count]) => Number(count))
  if (counts.length === 0) throw new Error(`the metrics have no ${NAMES[what]}`)
  return counts.reduce((sum, count) => sum + count)
}

/** Resolves when this many requests are in flight, or wait for events. */
export async function untilCount(metrics: { text(): Promise<string> }, what: keyof typeof NAMES, count: number) {
  await until(`the server has ${count} ${what}`, async () => countIn(await metrics.text(), what) === count)
}
