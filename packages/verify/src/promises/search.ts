// Searches of pets (level `pets`) and orders (level `store`), in a new category and among the orders of a new pet.

import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { textOf } from '../answer.ts'
import { absentId, addPet, prepareOnce } from '../fixtures.ts'
import { placed } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { follow, linkOf, targetOf } from './shared/links.ts'
import { type Check, documented, parameter, rowsOf, writing } from './shared/rows.ts'

const pets = rowsOf('pets')
const store = rowsOf('store')
const OF_PETS = parameter('listPets', 'search')
const OF_ORDERS = parameter('listOrders', 'search')
const NAMES = ['petstore verify Old Biscuit', 'petstore verify Biscuit', 'petstore verify Émile', '王小明', 'Straße 7']

/** A category with these pets. The second is sold. */
const named = (probe: Probe) =>
  prepareOnce(probe, 'named pets', async (own) => {
    const categoryId = BigInt(absentId())
    for (const name of NAMES) await addPet(own, { name, categoryId, ...(name === NAMES[1] && { status: 'sold' }) })
    return `/pets?categoryId=${categoryId}&`
  })

/** Expects each search, a query without its first name, to find these pets in order, given by their index in NAMES. */
const finds = (...cases: readonly (readonly [search: string, ...found: number[]])[]): Check => {
  return async (probe) => {
    for (const [search, ...found] of cases) {
      const answer = await probe.read(`${await named(probe)}search=${encodeURI(search)}`)
      const names = answer.objects().map((pet) => textOf(pet.get('name')))
      const expected = found.map((index) => NAMES[index])
      answer.expect(names.join() === expected.join(), `for "${search}": ${expected}`, `${names}`)
    }
  }
}

const distinct: Check = async (probe) => {
  const categoryId = BigInt(absentId())
  const { id } = await addPet(probe, { name: 'petstore verify łeg øre đir ær', categoryId })
  const found = async (word: string) => probe.read(`/pets?categoryId=${categoryId}&search=${encodeURIComponent(word)}`)
  for (const word of ['łeg', 'øre', 'đir', 'ær']) (await found(word)).expectIds([id])
  for (const word of ['leg', 'ore', 'dir', 'aer']) (await found(word)).expectIds([])
}

const linked: Check = async (probe) => {
  const query = await named(probe)
  const one = (await probe.read(`${query}search=bis%26old%20%22&limit=1`)).expectAtMost(1)
  const isAlone = one.ids.length === 1 && linkOf(one, 'next') === undefined
  one.expect(isAlone, 'one pet, and no rel="next"', one.text)
  const both = await probe.read(`${query}search=bis&limit=1`)
  const second = (await follow(probe, both, targetOf(both, 'next'))).expectStatus(200)
  const names = second.objects().map((pet) => pet.get('name'))
  second.expect(names.join() === NAMES[1], `${NAMES[1]}`, `${names}`)
}

const fresh: Check = async (probe) => {
  const categoryId = BigInt(absentId())
  const search = () => probe.read(`/pets?categoryId=${categoryId}&search=newcomer`)
  const expected: string[] = []
  for (let n = 0; n < 2; n++) {
    // Twice, because the first response can be cached.
    for (const answer of [await search(), await search()]) answer.expectIds(expected)
    expected.push((await addPet(probe, { name: 'petstore verify newcomer', categoryId })).id)
  }
}

const LONGEST = `A search of ${SEARCH_WORDS_MAX} words or of ${TEXT_LENGTH_MAX} characters is accepted.`

const longest = (path: string): Check => {
  return async (probe) => {
    for (const words of [Array(SEARCH_WORDS_MAX).fill('a').join('+'), '%E7%8E%8B'.repeat(TEXT_LENGTH_MAX)])
      await probe.read(`${path}${words}`)
  }
}

/** Expects a pet's order to be found by the words in `found`, and not by those in `lost`. */
const findsOrder = (found: readonly string[], lost: readonly string[] = []): Check => {
  return async (probe) => {
    const { id, petId } = await prepareOnce(probe, 'named order', (own) =>
      placed(own, { reference: 'petstore verify till 3' }, { name: 'petstore verify Old Biscuit' }),
    )
    for (const words of [...found, ...lost]) {
      const list = await probe.read(`/store/orders?petId=${petId}&search=${encodeURIComponent(words)}`)
      list.expectIds(found.includes(words) ? [id] : [])
    }
  }
}

const FOUND = writing('pets.list.search')

export const searchPromises = [
  pets('pets.list.search', 'A search finds pets whose names have, for each searched word, a word that starts with it.')
    .from(OF_PETS, writing('pets.list.category'))
    .check(finds(['bis', 0, 1], ['old bis', 0], ['bis old', 0], ['old emile'])),
  pets(
    'pets.list.search.words',
    'Starts of words match, ignoring case, accents and width. Chinese characters are words.',
  )
    .from(OF_PETS, FOUND)
    .check(finds(['iscuit'], ['biscuitx'], ['BIS', 0, 1], ['emile', 2], ['STRASSE ７', 4], ['小', 3], ['明', 3])),
  pets('pets.list.search.filters', 'A search can be combined with filters and sort.')
    .from(OF_PETS, FOUND)
    .check(finds(['bis&status=available&sort=newest', 0])),
  pets('pets.list.search.letters', 'Letters such as ł, ø, đ and æ do not match l, o, d and ae.')
    .from(OF_PETS, writing('pets.list.search.words'))
    .check(distinct),
  pets('pets.list.search.links', 'The links of a page repeat the search.')
    .from(OF_PETS, writing('pets.list.search', 'pets.list.next'))
    .check(linked),
  pets('pets.list.search.fresh', 'A search finds a pet as soon as it is created.')
    .from(documented('GET /pets', '`search`'), FOUND)
    .check(fresh),
  pets('pets.list.search.longest', LONGEST).from(OF_PETS).check(longest('/pets?search=')),
  store('orders.list.search.reference', 'A search finds an order by its reference.')
    .from(OF_ORDERS, writing('orders.list.pet', 'orders.place.order'))
    .check(findsOrder(['till', '3 TIL'], ['ill', 'till 4'])),
  store('orders.list.search.pet-name', "A search also finds an order by its pet's name, and by words of both.")
    .from(OF_ORDERS, writing('orders.list.search.reference'))
    .check(findsOrder(['bis', 'old bisc', '3 bisc', 'old till'], ['iscuit'])),
  store('orders.list.search.longest', LONGEST).from(OF_ORDERS).check(longest('/store/orders?search=')),
]
