// The last use of a key is saved at most once a minute, even if keys are used often or saving fails.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import type { KeyUse } from '../../src/domain/keys.ts'
import { KeyUses } from '../../src/http/request/key-uses.ts'

test('the first use is saved immediately, later ones after a minute or at the stop', async () => {
  const uses = new KeyUses()
  const saved: KeyUse[] = []
  const save = async (some: readonly KeyUse[]) => {
    saved.push(...some)
  }
  uses.add(1n, 'pets_live_abcd', 5)
  uses.add(1n, 'pets_live_abcd', 7)
  uses.add(2n, 'pets_live_efgh', 6)
  await uses.saveDue(save)
  expect(saved.splice(0).map((use) => Object.values(use).join(' '))).toEqual(['1 live_abcd 7', '2 live_efgh 6'])
  uses.add(1n, 'pets_live_abcd', 8)
  await uses.saveDue(save)
  expect(saved).toEqual([])
  await uses.saveDue(save, true)
  await uses.saveDue(save, true)
  expect(saved).toEqual([{ keyId: 1n, ending: 'live_abcd', at: 8 }])
})

test('a use while saving is saved the next time', async () => {
  const uses = new KeyUses()
  const saved: number[] = []
  uses.add(1n, 'pets_live_abcd', 5)
  await uses.saveDue(async ([use]) => {
    uses.add(1n, 'pets_live_abcd', 6)
    saved.push(use?.at as number)
  })
  await uses.saveDue(async ([use]) => {
    saved.push(use?.at as number)
  }, true)
  expect(saved).toEqual([5, 6])
})

test('uses are kept after a failure, and saved later', async () => {
  const uses = new KeyUses()
  uses.add(1n, 'pets_live_abcd', 5)
  expect((await rejectionOf(uses.saveDue(() => Promise.reject(new Error('full'))))).message).toContain('full')
  let tries = 0
  const save = async () => {
    tries++
  }
  await uses.saveDue(save)
  expect(tries).toBe(0)
  await uses.saveDue(save, true)
  expect(tries).toBe(1)
})
