// The floor: the least work of this runtime for a response. `Bun.serve` checks the API key, and sends the service's headers and bytes. It
// parses the body of a POST, but stores nothing.
// Usage: bun floor.ts FILE PORT. FILE has an Answer as JSON.

import type { Answer } from './servers.ts'

const [file = '', port = ''] = process.argv.slice(2)
const { key, status, headers, body }: Answer = await Bun.file(file).json()
const authorization = `Bearer ${key}`
const init = { status, headers: new Headers(headers) }

function get(request: Request): Response {
  if (request.headers.get('Authorization') !== authorization) return new Response(null, { status: 401 })
  return new Response(body, init)
}

async function post(request: Request): Promise<Response> {
  if (request.headers.get('Authorization') !== authorization) return new Response(null, { status: 401 })
  const text = await request.text()
  const sent = text === '' || JSON.parse(text)
  return new Response(sent && body, init)
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  routes: { '/v1/pets': { GET: get, POST: post }, '/v1/pets/:petId': get, '/v1/store/*': { GET: get, POST: post } },
})
