// A clock of the service that was ahead, as the sales of a day show it. The real service writes the events.

import { expect, test } from 'bun:test'
import { startService } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { DayLog, readClockAhead } from '../src/sales/day-log.ts'

test.each([
  ['of the day before', 25, undefined],
  ['of the day on which the clock was ahead, whose later events are missing', 26, [29, 26]],
  ['of a day that is missing', 27, [29, 26]],
  ['of the day that the clock showed', 29, [29, 26]],
  ['of the day after', 30, undefined],
])('a clock that was ahead is known to the sales %s', async (_which, day, times) => {
  const service = await startService()
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  for (const shown of [25, 26, 29, 26, 29, 30]) {
    service.clock.at += Math.max(1, Date.UTC(2026, 10, shown, 9) - service.clock.at)
    if (shown === 26) service.clock.at = Date.UTC(2026, 10, 26, 9)
    await client.createPet({ name: 'Rex', categoryId: 7n })
  }
  const [from, to] = [day, day + 1].map((one) => new Date(Date.UTC(2026, 10, one)).toISOString()) as [string, string]
  const log = new DayLog(client, { from, to })
  await log.read(100, new AbortController().signal)
  const ahead = await readClockAhead(client, to, [log.log.value.events])
  const { at = '', next = '' } = ahead ?? {}
  expect(times && [at, next].map((time) => new Date(time).getUTCDate())).toEqual(times)
  expect(ahead === undefined).toBe(times === undefined)
})
