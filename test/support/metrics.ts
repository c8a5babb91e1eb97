// What tests wait for in the metrics of a server: how much it has at hand.

import { IN_FLIGHT, WAITING_READERS } from '../../packages/service/src/observability/metrics.ts'
import { until } from './until.ts'

const NAMES = { answering: IN_FLIGHT, waiting: WAITING_READERS }

/** How many requests a server answers, or lets wait for events. */
export function countIn(text: string, what: keyof typeof NAMES): number {
  const [, count] = new RegExp(`^${NAMES[what]} (\\d+)$`, 'm').exec(text) ?? []
  if (count === undefined) throw new Error(`the metrics have no ${NAMES[what]}`)
  return Number(count)
}

/** Resolves when a server answers so many requests, or so many wait for events. */
export async function untilCount(metrics: { text(): Promise<string> }, what: keyof typeof NAMES, count: number) {
  await until(`the server has ${count} ${what}`, async () => countIn(await metrics.text(), what) === count)
}
