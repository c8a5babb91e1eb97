// Two rounds of `npm run endurance -- replica`, with a bound that no busy machine exceeds.

import { expect, test } from 'bun:test'
import { noLitestream } from '../../test/support/litestream.ts'
import { replica } from '../replica.ts'

test.concurrent.skipIf(noLitestream !== '')(
  `two machines that are lost: each next one goes on from the copy${noLitestream}`,
  async () => {
    const { rounds, acknowledged, lost, faults } = await replica(2, 30_000)
    expect([rounds, faults]).toEqual([2, []])
    expect(acknowledged).toBeGreaterThan(lost)
  },
)
