// Each lesson of practice: a client that keeps it and one that misses it, through the proxy, byte by byte. Time is the test's.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { LESSONS } from '../src/lessons/all.ts'
import { ROWS } from './lessons.rows.ts'
import { fail, REX, run, send, withClient } from './scripted-client.ts'

const service = await startService()
for (let n = 0; n < 21; n++) await service.post(REX)

test('each lesson has a client that keeps it and one that misses it', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(LESSONS).sort())
})

test('docs/practice.md explains each lesson', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/practice.md')).text()
  const rows = Object.entries(LESSONS).map(([id, { sentence }]) => `| \`${id}\` | ${sentence} |\n`)
  expect(page).toContain(rows.join(''))
})

test('of a client that was not seen nothing is known', () =>
  withClient(service, async (_client, practice) => {
    const { requests, lessons } = practice.report()
    expect(requests).toEqual([])
    expect(lessons.filter(({ outcome, evidence }) => outcome !== 'unknown' || evidence.length > 0)).toEqual([])
  }))

test('that a correction without If-Match is sent again is not asked for, and with it is', async () => {
  for (const [headers, outcome] of [
    [{}, 'unknown'],
    [{ 'If-Match': '"tag"' }, 'missed'],
  ] as const) {
    for (const [id, fault] of [
      ['retries.temporary', { status: 503 }],
      ['retries.lost', { cut: 'after' }],
      ['retries.truncated', { truncate: 5 }],
      ['unknown.code', { status: 503, unknown: true }],
    ] as const) {
      await withClient(service, async (client, practice) => {
        await run([fail(fault), send('PATCH', '/pets/1', headers, '{"name":"Rex"}')], client)
        const { lessons } = practice.report()
        expect(lessons.find((one) => one.id === id)).toMatchObject({ id, outcome })
        expect(lessons.find((one) => one.id === 'creates.keyless')).toMatchObject({ outcome: 'unknown' })
      })
    }
  }
})

describe.each(Object.entries(ROWS))('%s', (id, clients) => {
  test.each(Object.entries(clients))('%s', (outcome, steps) =>
    withClient(service, async (client, practice) => {
      await run(steps, client)
      const lesson = () => practice.report().lessons.find((one) => one.id === id)
      // The proxy may not have heard yet that the client has closed.
      await until('the lesson has an outcome', () => lesson()?.outcome !== 'unknown', { everyMs: 1 })
      expect(lesson()).toMatchObject({ outcome, evidence: expect.arrayContaining([expect.any(Number)]) })
    }),
  )
})
