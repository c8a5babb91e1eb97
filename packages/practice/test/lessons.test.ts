// Runs the clients of lessons.rows.ts through the proxy, with a clock that the test controls.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { expectReleased } from '../../../test/support/released.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { LESSONS } from '../src/report.ts'
import { ROWS } from './lessons.rows.ts'
import { REX, run, withClient } from './scripted-client.ts'

const service = await startService()
for (let n = 0; n < 21; n++) await service.post(REX)

test('each lesson has a client that keeps it and one that misses it', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(LESSONS).sort())
  expectReleased('lessons', Object.keys(LESSONS))
})

test('docs/practice.md lists each lesson', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/practice.md')).text()
  expect(Object.keys(LESSONS).filter((id) => !page.includes(`\`${id}\``))).toEqual([])
})

test('every lesson is unknown without requests', () =>
  withClient(service, async (_client, practice) => {
    const { requests, lessons } = practice.report()
    expect(requests).toEqual([])
    expect(lessons.filter(({ outcome, evidence }) => outcome !== 'unknown' || evidence.length > 0)).toEqual([])
  }))

describe.each(Object.entries(ROWS))('%s', (id, clients) => {
  test.each(Object.entries(clients))('%s', (outcome, steps) =>
    withClient(service, async (client, practice) => {
      await run(steps, client)
      const lesson = () => practice.report().lessons.find((one) => one.id === id)
      // The proxy can notice later that the client closed its connection.
      await until('the lesson has an outcome', () => lesson()?.outcome !== 'unknown', { everyMs: 1 })
      expect(lesson()).toMatchObject({ outcome, evidence: expect.arrayContaining([expect.any(Number)]) })
    }),
  )
})
