// An independent server of the interface document, on Node's `http` alone. It differs from ours wherever the document
// allows it: newest first, ids of any sign and size, no pages, no ETag, its own codes and fields, limits clamped, no
// default status, chunked responses and no HEAD.
// The first path segment names a fault or a habit. Each has its own store.
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
  if (habit.allows?.() === false) return send(response, TOO_MANY, is)
  habit.meanwhile?.(stores.get(fault))
  const isKnown =
    request.headers.authorization?.split(' ')[1] === KEY || (is('key-not-checked') && request.headers.authorization)
  const answer =
    isKnown || (is('get-needs-no-key') && path.startsWith('/pets/'))
      ? answerOf(received, stores.get(fault), is, habit)
      : failure(is('403-for-401') ? 403 : 401, 'AUTH', 'Who are you?')
  send(response, answer, is)
})

function answerOf({ method, path, query, text }, all, is, { shows = (pets) => pets, takes = () => true }) {
  if (method === 'POST' && path === '/pets') return add(text, all, is, takes)
  const pets = shows(all)
  if (method === 'GET' && path === '/pets') return list(query, pets, is)
  const [, id] = /^\/pets\/([^/]+)$/.exec(path) ?? []
  if (method !== 'GET' || id === undefined) return failure(404, 'ROUTE', 'There is nothing here.')
  const pet = pets.find((one) => String(one.id) === id)
  if (is('nothing-is-200') && !pet) return { status: 200, text: 'null' }
  return pet ? { status: 200, text: petText(pet, is) } : failure(404, 'NO_PET', 'No such animal.')
}

function list(query, pets, is) {
  const size = Number(query.get('limit') ?? (is('default-10') ? 10 : 20))
  const limit = is('limit-ignored') ? pets.length : Math.min(Math.max(size || 1, 1), is('at-most-10') ? 10 : 100)
  const wanted = is('filter-ignored') ? null : query.get('status')
  const found = pets.filter(({ status }) => wanted === null || status === wanted)
  const texts = found.slice(is('one-too-many') ? -limit - 1 : -limit).reverse()
  const array = `[${texts.map((pet) => petText(pet, is)).join(', ')}]`
  return { status: 200, text: is('envelope') ? `{"pets": ${array}}` : array }
}

function add(text, pets, is, takes) {
  let body
  try {
    body = JSON.parse(text)
  } catch {
    return failure(is('500-for-400') ? 500 : 400, 'JSON', 'That is not JSON.')
  }
  const { name, categoryId, status } = body ?? {}
  if (typeof name !== 'string' && !is('name-not-required')) return failure(400, 'NAME', 'name must be text.')
  // Read from the text, because JSON.parse rounds it.
  const category = /"categoryId"\s*:\s*(-?\d+)\s*[,}]/.exec(text)?.[1]
  const isInt64 = category !== undefined && BigInt.asIntN(64, BigInt(category)) === BigInt(category)
  if (!isInt64 && !is('category-not-checked')) return failure(400, 'CATEGORY', 'categoryId must be an int64.')
  const isStatus = status === undefined || STATUSES.includes(status)
  if (!isStatus && !is('status-not-checked')) return failure(400, 'STATUS', 'status must be a PetStatus.')
  if (!takes({ name, category }, pets)) return failure(400, 'RULES', 'Not such a pet.')
  const id = is('ids-again') ? 7n : randomBytes(8).readBigInt64BE()
  const pet = { id, name, categoryId: is('rounded') ? categoryId : (category ?? 0), status, addedAt: Date.now() }
  if (!is('not-kept')) pets.push(pet)
  return { status: is('200-for-201') ? 200 : 201, text: petText(pet, is) }
}

/** Written by hand, because JSON.stringify has no int64. */
function petText({ id, name, categoryId, status }, is) {
  const fields = [
    `"createdAt": ${Date.now()}`,
    ...(name === undefined ? [] : [`"name": ${JSON.stringify(name)}`]),
    is('ids-as-text') ? `"id": "${id}"` : `"id": ${id}`,
    ...(is('no-category') ? [] : [`"categoryId": ${categoryId}`]),
    ...(status === undefined ? [] : [`"status": ${JSON.stringify(is('upper-case') ? status.toUpperCase() : status)}`]),
  ]
  return `{ ${fields.join(', ')} }`
}

const TOO_MANY = { ...failure(429, 'SLOW', 'Too many requests.'), headers: { 'Retry-After': '1' } }

function failure(status, code, message) {
  return { status, text: JSON.stringify({ status, code, message, help: 'https://example.com/help' }), isError: true }
}

function send(response, { status, text, isError, headers }, is) {
  const type = (isError && is('html-errors')) || is('plain-text') ? 'text/html' : 'application/json'
  response.writeHead(status, { 'Content-Type': type, ...headers })
  let body = text
  if (isError && is('html-errors')) body = '<h1>Sorry</h1>'
  if (isError && is('error-without-status')) body = text.replace(/"status":\d+,/, '')
  // Sends the last chunk separately.
  response.write(`${body}\r\n`)
  setTimeout(() => response.end(), 1)
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
