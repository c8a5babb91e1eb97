// Correct variants of http.mjs, chosen by the first path segment. No check may report them.

const LAG_MS = 800
const others = (count) =>
  Array.from({ length: count }, (_, n) => pet(['available', 'pending', 'sold'][n % 3], BigInt((n % 3) + 1)))
const FIELDS = ['limit', 'status', 'name', 'categoryId']
let ids = 0n
const pet = (status, categoryId) => ({ id: ++ids, name: `Rex ${ids}`, categoryId, status, addedAt: 0 })
const isOurs = ({ name }) => name.startsWith('petstore verify')

/** Allows this many requests a second. */
function limited(perSecond) {
  let [second, count] = [0, 0]
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) [second, count] = [now, 0]
    return ++count <= perSecond
  }
}

let reads = 0
/**
 * `first`: initial pets. `takes`: whether a pet is accepted. `shows`: what reads see. `meanwhile`: other clients'
 * changes. `isKnown`: whether a request has only known names.
 */
export const HABITS = {
  'known-categories': { first: () => others(9), takes: ({ category }) => ['1', '2', '3'].includes(category) },
  'known-categories-empty': { takes: ({ category }) => ['1', '2', '3'].includes(category) },
  'one-category-empty': { takes: ({ category }) => category === '42' },
  'plain-names': { takes: ({ name }) => /^[\w -]{1,50}$/.test(name) },
  'long-names': { takes: ({ name }) => name.length >= 10 },
  'other-names': { takes: ({ name }, pets) => pets.every((one) => one.name !== name) },
  'small-categories': { takes: ({ category }) => /^\d{1,9}$/.test(category) },
  'late-reads': { shows: (pets) => pets.filter(({ addedAt }) => addedAt < Date.now() - LAG_MS) },
  'two-copies': {
    shows: (pets) => (reads++ % 2 ? pets : pets.filter(({ addedAt }) => addedAt < Date.now() - LAG_MS)),
  },
  'at-most-10': { limitMax: 10 },
  full: { first: () => others(400) },
  // By name, ids downwards from the largest int64, and unknown fields and parameters are rejected even before the key.
  strict: {
    isKnown: ({ query, body }) => [...query.keys(), ...Object.keys(body)].every((name) => FIELDS.includes(name)),
    order: (pets) => pets.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    limitMax: 50,
    status: 'pending',
    newId: (pets) => 9223372036854775807n - BigInt(pets.length),
    type: 'application/json; charset=utf-8',
  },
  slow: { delayMs: 300 },
  slower: { delayMs: 1000 },
  limited: { allows: limited(20) },
  'one-a-second': { allows: limited(1) },
  'others-add': { first: () => others(9), meanwhile: (pets) => pets.push({ ...pet('sold', 1n), addedAt: Date.now() }) },
  'others-delete': {
    first: () => others(600),
    meanwhile(pets) {
      const oldest = pets.findIndex((one) => !isOurs(one))
      if (oldest >= 0 && pets.length > 30) pets.splice(oldest, 1)
    },
  },
}
