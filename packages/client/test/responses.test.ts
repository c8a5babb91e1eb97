// The client reads only responses that the contract allows, and finds the link to the next page.

import { expect, test } from 'bun:test'
import { answer, clientOf, ORDER_JSON, REX_JSON, withServer } from '../../../test/support/client.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'

const UNEXPECTED = 'unexpected_answer'

test.each([
  ['an error page of a proxy', 502, '<h1>Bad gateway</h1>'],
  ['JSON that is not an Error', 404, '{"detail":"no"}'],
  ['a web page instead of a pet', 200, '<!doctype html>'],
  ['a pet without an id', 200, '{"name":"Rex","categoryId":7,"status":"sold"}'],
  ['an id in quotes', 200, REX_JSON.replace('1', '"1"')],
  ['an id with a fraction', 200, REX_JSON.replace('1', '1.5')],
  ['no body', 200, ''],
])('a response rejects %s', (_what, status, body) => {
  const refused = async (url: string) =>
    expect(await rejectionOf(clientOf(url, { retries: 0 }).getPet(1n))).toMatchObject({ code: UNEXPECTED, status })
  return withServer(() => answer(status, body), refused)
})

test.each([
  ['http_proxy', 'Is the address right, and http_proxy?'],
  ['ALL_PROXY', 'Is the address right, and ALL_PROXY?'],
  ['HTTPS_PROXY', 'Is the address right?'],
])('mentions the proxy variable %s for an unexpected response', (variable, question) =>
  withServer(
    () => answer(200, '<!doctype html>'),
    async (url) => {
      process.env[variable] = new URL(url).origin
      try {
        const error = await rejectionOf(clientOf(url, { retries: 0 }).getPet(1n))
        expect(error.message).toBe(`The response does not follow the contract. ${question}`)
      } finally {
        delete process.env[variable]
      }
    },
  ),
)

test.each([
  ['a pet', REX_JSON],
  ['an order without a time', ORDER_JSON.replace(/"placedAt":"[^"]*",/, '')],
  ['an order with null for an absent field', ORDER_JSON.replace('}', ',"expiresAt":null}')],
  ['an inventory without a number', '{"available":1,"pending":0}'],
])('a response rejects %s as an order and as the inventory', (_what, body) =>
  withServer(
    () => answer(200, body),
    async (url) => {
      const client = clientOf(url, { retries: 0 })
      for (const call of [() => client.getOrder(1n), () => client.completeOrder(1n), () => client.getInventory()]) {
        expect(await rejectionOf(call())).toMatchObject({ code: 'unexpected_answer', status: 200 })
      }
    },
  ),
)

test.each([
  ['</v1/pets?cursor=A>; rel="next"', 'A'],
  ['</docs>; rel="help", </v1/pets?limit=2&cursor=B>;rel=next', 'B'],
  ['</v1/pets?cursor=C>; title="a, b; rel=next"; rel="prev"', undefined],
  ['</v1/pets?cursor=D>; title="x"; rel="start NEXT"', 'D'],
  ['</v1/pets>; rel="next"', undefined],
])('a response finds the next page in %s', (link, next) =>
  withServer(
    () => answer(200, '[]', { Link: link }),
    async (url) => expect((await clientOf(url).listPage()).next).toBe(next as string),
  ),
)
