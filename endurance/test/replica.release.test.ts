// Two rounds of `npm run endurance -- replica`, with a bound that no busy machine exceeds, and a short run of `replica-load`, whose
// times are not judged here.

import { expect, test } from 'bun:test'
import { noLitestream } from '../../test/support/litestream.ts'
import { replica } from '../replica.ts'
import { besideLitestream } from '../replica-load.ts'

test.concurrent.skipIf(noLitestream !== '')(
  `two machines that are lost: each next one goes on from the copy${noLitestream}`,
  async () => {
    const { rounds, acknowledged, lost, faults } = await replica(2, 30_000)
    expect([rounds, faults]).toEqual([2, []])
    expect(acknowledged).toBeGreaterThan(lost)
  },
)

test.concurrent.skipIf(noLitestream !== '')(
  `Litestream is stopped, killed, frozen, and its disk is full: creates are answered, and in the end the copy is the store${noLitestream}`,
  async () => {
    const { measured, faults } = await besideLitestream({
      connections: 4,
      pairs: 0,
      seconds: 0.3,
      minutes: 0,
      frozen: 20,
      behind: 300,
    })
    // A busy machine may refuse some.
    expect(faults.filter((fault) => !fault.endsWith('creates answered 503'))).toEqual([])
    expect(measured.length).toBe(4)
    expect(measured.reduce((sum, { creates }) => sum + (creates.statuses[201] ?? 0), 0)).toBeGreaterThan(0)
  },
)
