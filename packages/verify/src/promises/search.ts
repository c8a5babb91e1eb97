// What a search finds, in pets (level `pets`) and in orders (`store`): among pets in a category of our own, and orders of a pet of our own.

import type { Answer } from '../answer.ts'
import { textOf } from '../answer.ts'
import { absentId, addPet, prepared } from '../fixtures.ts'
import { placed } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { follow, idsOf, linkOf } from './shared/pages.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, parameter, rowsOf, writing } from './shared/rows.ts'

const pets = rowsOf('pets')
const store = rowsOf('store')
const OF_PETS = parameter('listPets', 'search')
const OF_ORDERS = parameter('listOrders', 'search')
const NAMES = ['petstore verify Old Biscuit', 'petstore verify Biscuit', 'petstore verify Émile', '王小明', 'Straße 7']

/** A category with these pets; the second one is sold. */
const named = (probe: Probe) =>
  prepared(probe, 'named pets', async (own) => {
    const categoryId = BigInt(absentId())
    for (const name of NAMES) await addPet(own, { name, categoryId, ...(name === NAMES[1] && { status: 'sold' }) })
    return `/pets?categoryId=${categoryId}&`
  })

/** That each search finds these pets, in this order, by their place in NAMES. */
const finds = (...cases: readonly (readonly [words: string, ...found: number[]])[]): Check => {
  return async (probe) => {
    for (const [words, ...found] of cases) {
      const answer = await probe.get(`${await named(probe)}search=${encodeURIComponent(words)}`)
      const names = answer
        .expectStatus(200)
        .objects()
        .map((pet) => textOf(pet.get('name')))
      const expected = found.map((index) => NAMES[index])
      if (names.join() !== expected.join()) throw answer.broken(`for "${words}": ${expected}`, `${names}`)
    }
  }
}

const narrowed: Check = async (probe) => {
  const answer = (await probe.get(`${await named(probe)}search=bis&status=available&sort=newest`)).expectStatus(200)
  const names = answer.objects().map((pet) => pet.get('name'))
  if (names.join() !== NAMES[0]) throw answer.broken(`${NAMES[0]}`, `${names}`)
}

const linked: Check = async (probe) => {
  const query = `${await named(probe)}search=bis%26old%20%22&limit=1`
  const [one, both] = [await probe.get(query), await probe.get(`${await named(probe)}search=bis&limit=1`)]
  if (idsOf(one).length !== 1 || linkOf(one, 'next') !== undefined)
    throw one.broken('one pet, and no rel="next"', one.text)
  const second = await follow(probe, linkOf(both, 'next') ?? '')
  const names = second
    .expectStatus(200)
    .objects()
    .map((pet) => pet.get('name'))
  if (names.join() !== NAMES[1]) throw second.broken(`${NAMES[1]}`, `${names}`)
}

const fresh: Check = async (probe) => {
  const categoryId = BigInt(absentId())
  const search = () => probe.get(`/pets?categoryId=${categoryId}&search=newcomer`)
  for (const expected of [0, 1]) {
    // More than once: an answer may have been kept.
    for (const answer of [await search(), await search()]) {
      const { length } = answer.expectStatus(200).array()
      if (length !== expected) throw answer.broken(`${expected} found`, `${length} found`)
    }
    await addPet(probe, { name: 'petstore verify newcomer', categoryId })
  }
}

/** The answer to the longest searches that are taken. */
const longest = (path: string): Check => {
  return async (probe) => {
    for (const words of ['a+b+c+d+e+f+g+h', '%E7%8E%8B'.repeat(255)])
      (await probe.get(`${path}${words}`)).expectStatus(200)
  }
}

const WORDS = writing('pets.list.category')
const FOUND = writing('pets.list.search')

const ofPets = [
  pets('pets.list.search', 'A search finds the pets with a word that begins with it; each word of it must be found.')
    .from(OF_PETS, WORDS)
    .check(finds(['bis', 0, 1], ['old bis', 0], ['bis old', 0], ['old emile'])),
  pets('pets.list.search.begin', 'A search finds the beginnings of words alone.')
    .from(OF_PETS, FOUND)
    .check(finds(['iscuit'], ['biscuitx'])),
  pets('pets.list.search.folded', 'Case, accents and width make no difference to a search.')
    .from(OF_PETS, FOUND)
    .check(finds(['BIS', 0, 1], ['emile', 2], ['STRASSE ７', 4])),
  pets('pets.list.search.characters', 'A Chinese or Japanese character is a word by itself.')
    .from(OF_PETS, FOUND)
    .check(finds(['小', 3], ['明', 3])),
  pets('pets.list.search.filters', 'A search goes with filters and order.').from(OF_PETS, FOUND).check(narrowed),
  pets('pets.list.search.links', 'The links of a page repeat the search.')
    .from(OF_PETS, writing('pets.list.search', 'pets.list.next'))
    .check(linked),
  pets('pets.list.search.fresh', 'A search finds a pet as soon as it was added.')
    .from(documented('GET /pets', '`search`'), FOUND)
    .check(fresh),
  pets('pets.list.search.longest', 'A search of 8 words or of 255 characters is taken.')
    .from(OF_PETS)
    .check(longest('/pets?search=')),
]

/** That the orders of a pet are found by these words, and not by the others. */
const findsOrder = (found: readonly string[], lost: readonly string[] = []): Check => {
  return async (probe) => {
    const { petId, answer } = await prepared(probe, 'named order', (own) =>
      placed(own, { reference: 'petstore verify till 3' }, { name: 'petstore verify Old Biscuit' }),
    )
    const id = textOf(answer.object().get('id'))
    for (const words of [...found, ...lost]) {
      const list: Answer = await probe.get(`/store/orders?petId=${petId}&search=${encodeURIComponent(words)}`)
      const expected = found.includes(words) ? id : ''
      if (idsOf(list).join() !== expected) throw list.broken(`for "${words}": order ${expected || 'none'}`, list.text)
    }
  }
}

const FOUND_ORDER = writing('orders.list.search.reference')

const ofOrders = [
  store('orders.list.search.reference', 'A search finds an order by its reference.')
    .from(OF_ORDERS, writing('orders.list.pet', 'orders.place.reference'))
    .check(findsOrder(['till', '3 TIL'], ['ill', 'till 4'])),
  store('orders.list.search.pet-name', 'A search finds an order by the name of its pet.')
    .from(OF_ORDERS, FOUND_ORDER)
    .check(findsOrder(['bis', 'old bisc'], ['iscuit'])),
  store('orders.list.search.both', 'The words of a search may be in the reference and in the name.')
    .from(OF_ORDERS, FOUND_ORDER)
    .check(findsOrder(['3 bisc', 'old till'])),
  store('orders.list.search.longest', 'A search of orders by 8 words or 255 characters is taken.')
    .from(OF_ORDERS)
    .check(longest('/store/orders?search=')),
]

export const searchPromises: readonly PromiseRow[] = [...ofPets, ...ofOrders]
