// The contract's example requests get its example responses, on any day.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import document from '../../../openapi.yaml'
import { petBody } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import type { OpenApi } from '../src/openapi.ts'
import { parametersOf } from '../src/parameters.ts'

const { paths, components } = document as unknown as OpenApi

/** The examples of each operation with a body, for requests and for successful responses. */
const EXAMPLES = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
    const success = Object.values(responses).find((response) => 'content' in response)
    const asked = requestBody?.content['application/json']?.examples ?? {}
    const answered = success && 'content' in success ? success.content?.['application/json']?.examples : {}
    return requestBody ? { operation: `${method.toUpperCase()} ${path}`, asked, answered } : []
  }),
)

let service: Service
beforeEach(async () => {
  service = await startService({ now: Date.now })
  for (let n = 0; n < 41; n++) await service.post(petBody())
})
afterEach(() => service.stop())

describe('examples of requests', () => {
  test('each operation with a body has examples of requests', () => {
    expect(EXAMPLES.map(({ operation, asked }) => [operation, Object.keys(asked)])).toEqual([
      ['POST /pets', ['dog']],
      ['PATCH /pets/{petId}', ['rename', 'free']],
      ['POST /store/orders', ['sale', 'reservation']],
      ['PATCH /store/orders/{orderId}', ['extend', 'keep']],
    ])
  })

  test('examples of requests contain no time, which would be in the past later', () => {
    const bodies = Object.entries(document.components.schemas).filter(([name]) => /^New|Change$/.test(name))
    expect(bodies).toHaveLength(4)
    for (const examples of [...bodies.map(([, schema]) => examplesIn(schema)), EXAMPLES.map(({ asked }) => asked)]) {
      expect(JSON.stringify(examples)).not.toMatch(/\d{4}-\d\d-\d\dT/)
    }
  })

  for (const { operation, asked, answered = {} } of EXAMPLES) {
    for (const [name, { value }] of Object.entries(asked)) {
      test(`${operation}: ${name} gets the response with this name`, async () => {
        const [method = '', path = ''] = operation.split(' ')
        if (operation !== 'POST /pets') await send('POST', '/pets', PET)
        const asked = path.endsWith('{orderId}') ? await send('POST', '/store/orders', ORDER) : { id: 42 }
        const item = await send(method, path.replace(/\{\w+\}/, asked.id), value)
        expect(Object.keys(answered)).toContain(name)
        expect(comparable(item)).toEqual(comparable(answered[name]?.value))
        expect(Object.keys(item)).toEqual(Object.keys(answered[name]?.value as object))
      })
    }
  }
})

describe('a request with all examples of an operation succeeds if the pet and the order exist', () => {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      test(operation.operationId, async () => {
        for (let n = 42; n <= 43; n++) await service.post(petBody())
        const place = (petId: number) => service.request('POST', '/store/orders', { body: `{"petId":${petId}}` })
        for (let n = 1; n < 7; n++) await place(n)
        if (operation.operationId !== 'placeOrder') await place(42)
        if (operation.operationId === 'returnOrder') await service.request('POST', '/store/orders/7/complete')
        // Includes the headers of a GET.
        const given = parametersOf('', operation, components).filter(({ example }) => example !== undefined)
        const inside = (where: string) => given.filter((one) => one.in === where)
        const query = inside('query').flatMap(({ name, example }) =>
          [example].flat().map((one): [string, string] => [name, String(one)]),
        )
        const target = path.replace(/\{\w+\}/, String(inside('path')[0]?.example))
        const [body] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
        const { status, text } = await service.request(
          method.toUpperCase(),
          `${target}?${new URLSearchParams(query)}`,
          {
            headers: { 'Content-Type': 'application/json' },
            body: body && JSON.stringify(body.value),
          },
        )
        expect({ text, isSuccess: status < 300 }).toEqual({ text, isSuccess: true })
      })
    }
  }
})

/** Pet 42, which is changed and ordered, and the order that is changed. */
const PET = { name: 'Rex', categoryId: 7 }
const ORDER = { petId: 42, reference: 'Ada Novak' }

async function send(method: string, path: string, value: unknown) {
  const body = JSON.stringify(value)
  const headers = { 'Content-Type': 'application/json' }
  const { status, text } = await service.request(method, path, { headers, body })
  expect({ status, text }).toMatchObject({ status: method === 'POST' ? 201 : 200 })
  return JSON.parse(text)
}

/** Removes the id and the times of an order, which differ. */
function comparable(item: unknown): unknown {
  const { placedAt, changedAt, ...rest } = item as Record<string, unknown>
  return placedAt === undefined ? rest : { ...rest, id: 0, placedAt: typeof placedAt, changedAt: typeof changedAt }
}

function examplesIn(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => (name === 'examples' ? value : examplesIn(value)))
}
