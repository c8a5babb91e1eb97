// An independent server of the interface document, on Node's `http` alone. It differs from ours wherever the document
// allows it: newest first, ids of any sign and size, no pages, no ETag, its own codes and fields, limits clamped, no
// default status, chunked responses and no HEAD.
// The first path segment names a habit, or a fault of its create. Each has its own store.
// usage: node http.mjs KEY; prints its origin

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { HABITS } from './habits.mjs'

const [, , KEY] = process.argv
const STATUSES = ['available', 'pending', 'sold']
const stores = new Map()

const server = createServer(async (request, response) => {
  const [, fault, path, query = ''] = /^\/([\w-]+)\/v1([^?]*)\??(.*)$/.exec(request.url) ?? []
  const is = (name) => fault === name
  const habit = HABITS[fault] ?? {}
  if (!stores.has(fault)) stores.set(fault, habit.first?.() ?? [])
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const received = {
    method: request.method,
    path,
    query: new URLSearchParams(query),
    text: Buffer.concat(chunks).toString(),
  }
  await sleep(habit.delayMs ?? 0)
  if (habit.allows?.() === false) return send(response, TOO_MANY)
  habit.meanwhile?.(stores.get(fault))
  const isKnown = request.headers.authorization?.split(' ')[1] === KEY
  const isRejected = habit.isKnown?.({ query: received.query, body: objectOf(received.text) }) === false
  const answer = isKnown ? answerOf(received, stores.get(fault), is, habit) : failure(401, 'AUTH', 'Who are you?')
  send(response, isRejected ? failure(400, 'UNKNOWN', 'What is that?') : answer, habit.type)
})

function answerOf({ method, path, query, text }, all, is, habit) {
  const { shows = (pets) => pets } = habit
  if (method === 'POST' && path === '/pets') return add(text, all, is, habit)
  const pets = shows(all)
  if (method === 'GET' && path === '/pets') return list(query, pets, habit)
  const [, id] = /^\/pets\/([^/]+)$/.exec(path) ?? []
  if (method !== 'GET' || id === undefined) return failure(404, 'ROUTE', 'There is nothing here.')
  const pet = pets.find((one) => String(one.id) === id)
  return pet ? { status: 200, text: petText(pet) } : failure(404, 'NO_PET', 'No such animal.')
}

function list(query, pets, { limitMax = 100, order = (all) => all.toReversed() }) {
  const limit = Math.min(Math.max(Number(query.get('limit') ?? 20) || 1, 1), limitMax)
  const wanted = query.get('status')
  const found = pets.filter(({ status }) => wanted === null || status === wanted)
  const texts = order(found).slice(0, limit).map(petText)
  return { status: 200, text: `[${texts.join(', ')}]` }
}

function add(text, pets, is, { takes = () => true, newId = randomId, status: otherwise }) {
  let body
  try {
    body = JSON.parse(text)
  } catch {
    return failure(400, 'JSON', 'That is not JSON.')
  }
  const { name, status } = body ?? {}
  if (typeof name !== 'string' && !is('name-not-required')) return failure(400, 'NAME', 'name must be text.')
  // Read from the text, because JSON.parse rounds it.
  const category = /"categoryId"\s*:\s*(-?\d+)\s*[,}]/.exec(text)?.[1]
  const isInt64 = category !== undefined && BigInt.asIntN(64, BigInt(category)) === BigInt(category)
  if (!isInt64 && !is('category-not-checked')) return failure(400, 'CATEGORY', 'categoryId must be an int64.')
  const isStatus = status === undefined || STATUSES.includes(status)
  if (!isStatus && !is('status-not-checked')) return failure(400, 'STATUS', 'status must be a PetStatus.')
  if (!takes({ name, category }, pets)) return failure(400, 'RULES', 'Not such a pet.')
  const pet = { id: newId(pets), name, categoryId: category ?? 0, status: status ?? otherwise, addedAt: Date.now() }
  pets.push(pet)
  return { status: 201, text: petText(pet) }
}

const randomId = () => randomBytes(8).readBigInt64BE()

/** Returns the object in a body, or an empty one. */
function objectOf(text) {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Written by hand, because JSON.stringify has no int64. */
function petText({ id, name, categoryId, status }) {
  const fields = [
    `"createdAt": ${Date.now()}`,
    ...(name === undefined ? [] : [`"name": ${JSON.stringify(name)}`]),
    `"id": ${id}`,
    `"categoryId": ${categoryId}`,
    ...(status === undefined ? [] : [`"status": ${JSON.stringify(status)}`]),
  ]
  return `{ ${fields.join(', ')} }`
}

const TOO_MANY = { ...failure(429, 'SLOW', 'Too many requests.'), headers: { 'Retry-After': '1' } }

function failure(status, code, message) {
  return { status, text: JSON.stringify({ status, code, message, help: 'https://example.com/help' }) }
}

function send(response, { status, text, headers }, type = 'application/json') {
  response.writeHead(status, { 'Content-Type': type, ...headers })
  // Sends the last chunk separately.
  response.write(`${text}\r\n`)
  setTimeout(() => response.end(), 1)
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
