// Rows that the lists of pets and of orders share.

import type { JsonObject } from '../../../../contract/src/json.ts'
import { textOf } from '../../answer.ts'
import { absentId } from '../../fixtures.ts'
import type { Probe } from '../../probe.ts'
import { cursorRows, type ListFamily, linkOf, linkRows, walk } from './links.ts'
import { type Check, documented, familyOf, ofStore, parameter, parameterNames, racing, reading } from './rows.ts'
import { parameterRows } from './wrong-rows.ts'

/** Expects pages of at most `limit` items, and of at most 20 without it. `prepare` adds more items. */
export function limits(path: string, prepare: (probe: Probe) => Promise<void>): Check {
  return async (probe) => {
    await prepare(probe)
    ;(await probe.read(path)).expectAtMost(20)
    for (const limit of [2, 7, 19]) (await probe.read(`${path}?limit=${limit}`)).expectAtMost(limit)
  }
}

export function listRows(family: ListFamily) {
  return [
    ...linkRows(family),
    ...cursorRows(family),
    ...orderRows(family),
    ...filterRows(family),
    ...parameterRows(family.id),
    ...spellingRows(family),
  ]
}

function orderRows({ id, first, quietQuery }: ListFamily) {
  const { row, of, path } = familyOf(id)
  const page = async (probe: Probe, limit: number, more = '') =>
    probe.read(`${path}?${await quietQuery(probe)}limit=${limit}${more}`)
  return [
    row(`${id}.order`, 'The list is ordered by id, oldest first.')
      .from(of === 'listPets' ? documented('GET /pets', 'Order') : ofStore('List of orders'), reading(first))
      .check(async (probe) => (await page(probe, 100)).expectOrder()),
    row(`${id}.sort.newest`, 'sort=newest lists the newest first.')
      .from(parameter(of, 'sort'), racing(`${id}.order`))
      .check(async (probe) => {
        const answer = (await page(probe, 100, '&sort=newest')).expectOrder('fall')
        const oldest = (await page(probe, 100)).ids
        if (oldest.length < 100) answer.expectIds(oldest.reverse())
        const one = await page(probe, 1, '&sort=newest')
        const next = linkOf(one, 'next') ?? 'sort=newest'
        one.expect(next.includes('sort=newest'), 'a link with sort=newest', next)
      }),
    row(`${id}.sort.oldest`, 'sort=oldest is the same as no sort.')
      .from(parameter(of, 'sort'), racing(`${id}.order`))
      .check(async (probe) => {
        const [answer, plain] = [await page(probe, 3, '&sort=oldest'), await page(probe, 3)]
        answer.expectText(plain.text).expectHeader('Link', plain.header('Link'))
      }),
  ]
}

const NO_FILTERS = ['limit', 'cursor', 'sort', 'search', 'If-None-Match', 'If-Match', 'petIds', 'count']
const INT64_MAX = '9223372036854775807'

function filterRows({ id, first, statuses, filter, quietQuery }: ListFamily) {
  const { row, of, path } = familyOf(id)
  const names = parameterNames(of).filter((name) => !NO_FILTERS.includes(name))
  const sources = names.map((name) => parameter(of, name))
  return [
    row(`${id}.${filter.id}`, `${filter.name} selects the items with this value.`)
      .from(parameter(of, filter.name), reading(first))
      .check(async (probe) => {
        await probe.read(`${path}?${filter.name}=${INT64_MAX}`)
        ;(await probe.read(`${path}?${filter.name}=${absentId()}`)).expectIds([])
        const [item] = (await probe.read(`${path}?${await quietQuery(probe)}limit=1`)).objects()
        if (!item) throw probe.unjudged('The list is empty.')
        const answer = await probe.read(`${path}?limit=100&${filter.name}=${textOf(item.get(filter.name))}`)
        for (const one of answer.objects()) answer.expectMember(filter.name, item.get(filter.name), one)
      }),
    row(`${id}.filters`, 'Filters can be combined, and the page links repeat them.')
      .from(sources, {
        needs: ['write'],
        premises: [`${id}.next.follow`, ...statuses.map((one) => `${id}.status.${one}`)],
      })
      .check(async (probe) => {
        const all = (await probe.read(`${path}?${await quietQuery(probe)}limit=100`)).objects()
        const queryOf = (item: JsonObject) =>
          new URLSearchParams(Object.fromEntries(names.map((name) => [name, textOf(item.get(name))]))).toString()
        for (const [query, items] of Map.groupBy(all, queryOf)) {
          const page = await probe.read(`${path}?limit=1&${query}`)
          const link = linkOf(page, 'next') ?? query
          const repeated = new URLSearchParams(link.slice(link.indexOf('?') + 1))
          const repeats = new URLSearchParams(query).entries().every(([name, value]) => repeated.get(name) === value)
          page.expect(repeats, `a link with ${query}`, link)
          const expected = items.map((item) => textOf(item.get('id')))
          page.expectIds(expected, (await walk(probe, page, 'next')).flat())
        }
      }),
  ]
}

function spellingRows({ id, first, quietQuery }: ListFamily) {
  const { row, path } = familyOf(id)
  const same = (more: string): Check => {
    return async (probe) => {
      const query = `${path}?${await quietQuery(probe)}`
      const plain = await probe.read(`${query}limit=10`)
      ;(await probe.read(query + more)).expectText(plain.text)
    }
  }
  return [
    row(`${id}.parameters.unknown`, 'Unknown parameters are ignored.')
      .from(documented('GET /pets', 'Other query parameters'), racing(first))
      .check(same('limit=10&page=2&Limit=0')),
    row(`${id}.parameters.encoded`, 'A percent-encoded value means the same.')
      .from('RFC 3986, section 2.1', racing(first))
      .check(same('limit=%31%30')),
  ]
}
