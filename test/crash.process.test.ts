// A few rounds of `npm run endurance:crash`.

import { expect, test } from 'bun:test'
import { crash } from '../endurance/crash.ts'

test('killed 10 times under load, and while it starts: every acknowledged pet exists once, and the file is intact', async () => {
  const { acknowledged, unanswered, faults } = await crash(10)
  expect(faults).toEqual([])
  expect(acknowledged).toBeGreaterThan(50)
  expect(unanswered).toBeGreaterThan(20)
})
