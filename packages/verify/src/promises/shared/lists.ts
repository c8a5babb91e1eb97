// What every list of ours promises, of pets and of orders: one family of rows.

import type { JsonObject } from '../../../../contract/src/json.ts'
import { type Answer, textOf } from '../../answer.ts'
import { absentId, eventually } from '../../fixtures.ts'
import type { Probe } from '../../probe.ts'
import { Unjudged } from '../../request.ts'
import { cursorRows, linkRows } from './links.ts'
import { idsOf, type ListFamily, linkOf, walk } from './pages.ts'
import {
  refusedValues,
  WRONG_IDS,
  WRONG_LIMITS,
  WRONG_SEARCHES,
  WRONG_SORTS,
  WRONG_STATUSES,
  type WrongValues,
} from './parameters.ts'
import type { PromiseRow } from './promise.ts'
import { type Check, documented, parameter, parameterNames, reading, rowsOf, writing } from './rows.ts'

/** Rows of one list. */
export function listRows(family: ListFamily): PromiseRow[] {
  return [
    ...linkRows(family),
    ...cursorRows(family),
    ...orderRows(family),
    ...filterRows(family),
    ...parameterRows(family),
  ]
}

function orderRows({ level, id, operation, path, first, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(operation, 'sort')
  const all = async (probe: Probe, more = '') => probe.get(`${path}?${await view(probe)}limit=100${more}`)
  const expectOrder = (answer: Answer, sign: 1n | -1n) => {
    const ids = idsOf(answer).map(BigInt)
    const wrong = ids.findIndex((one, index) => index > 0 && (one - (ids[index - 1] as bigint)) * sign <= 0n)
    if (wrong > 0)
      throw answer.broken(`ids that ${sign > 0 ? 'rise' : 'fall'}`, `id ${ids[wrong]} after ${ids[wrong - 1]}`)
  }
  return [
    row(`${id}.order`, 'The list is in the order of the ids, oldest first.')
      .from(
        operation === 'listPets' ? documented('GET /pets', 'Order') : documented('The store area', 'List of orders'),
        reading(first),
      )
      .check(async (probe) => expectOrder(await all(probe), 1n)),
    row(`${id}.sort.newest`, 'sort=newest lists the newest first.')
      .from(source, reading(`${id}.order`))
      .check((probe) =>
        eventually(async () => {
          const answer = await all(probe, '&sort=newest')
          expectOrder(answer, -1n)
          const oldest = idsOf(await all(probe))
          const newest = idsOf(answer)
          if (oldest.length < 100 && oldest.reverse().join() !== newest.join()) {
            throw answer.broken(`ids ${oldest}`, `ids ${newest}`)
          }
          const page = await probe.get(`${path}?${await view(probe)}limit=1&sort=newest`)
          const next = linkOf(page, 'next') ?? 'sort=newest'
          if (!next.includes('sort=newest')) throw page.broken('a link with sort=newest', next)
        }),
      ),
    row(`${id}.sort.oldest`, 'sort=oldest is the same as no sort.')
      .from(source, reading(`${id}.order`))
      .check((probe) =>
        eventually(async () => {
          const page = async (more: string) => probe.get(`${path}?${await view(probe)}limit=3${more}`)
          const [answer, plain] = [await page('&sort=oldest'), await page('')]
          if (answer.text !== plain.text) throw answer.broken(`ids ${idsOf(plain)}`, `ids ${idsOf(answer)}`)
          answer.expectHeader('Link', plain.header('Link'))
        }),
      ),
  ]
}

const NO_FILTERS = ['limit', 'cursor', 'sort', 'search', 'If-None-Match', 'If-Match']
const INT64_MAX = '9223372036854775807'

function filterRows({ level, id, operation, path, first, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(operation, filter.name)
  return [
    row(`${id}.${filter.id}`, `${filter.name} narrows the list to the items that have it.`)
      .from(source, reading(first))
      .check(async (probe) => {
        const query = await view(probe)
        const [item] = (await probe.get(`${path}?${query}limit=1`)).expectStatus(200).objects()
        if (!item) throw new Unjudged('The list is empty.')
        const answer = (
          await probe.get(`${path}?limit=100&${filter.name}=${textOf(item.get(filter.name))}`)
        ).expectStatus(200)
        for (const one of answer.objects()) answer.expectMember(one, filter.name, item.get(filter.name) ?? null)
      }),
    row(`${id}.${filter.id}.none`, `A ${filter.name} that no item has gives an empty list.`)
      .from(source, reading(`${id}.${filter.id}`))
      .check(async (probe) => {
        for (const none of [absentId(), INT64_MAX]) {
          const answer = (await probe.get(`${path}?${filter.name}=${none}`)).expectStatus(200)
          if (none !== INT64_MAX && answer.array().length > 0) throw answer.broken('[]', answer.text)
        }
      }),
    row(`${id}.filters`, 'Filters narrow a list together, and the links of its pages repeat them.')
      .from(source, writing(`${id}.next.follow`))
      .check(async (probe) => {
        const names = parameterNames(operation).filter((name) => !NO_FILTERS.includes(name))
        const all = (await probe.get(`${path}?${await view(probe)}limit=100`)).expectStatus(200).objects()
        const queryOf = (item: JsonObject) => names.map((name) => `${name}=${textOf(item.get(name))}`).join('&')
        for (const [query, items] of Map.groupBy(all, queryOf)) {
          const page = (await probe.get(`${path}?limit=1&${query}`)).expectStatus(200)
          const link = linkOf(page, 'next') ?? query
          if (!query.split('&').every((part) => link.includes(part))) throw page.broken(`a link with ${query}`, link)
          const [expected, found] = [
            items.map((item) => textOf(item.get('id'))),
            (await walk(probe, page, 'next')).flat(),
          ]
          if (found.join() !== expected.join()) throw page.broken(`ids ${expected}`, `ids ${found}`)
        }
      }),
  ]
}

function parameterRows({ level, id, operation, path, first, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const refused = (end: string, name: string, values: WrongValues) =>
    refusedValues(level, `${id}.${end}`, operation, [path, name], values)
  const same =
    (more: string): Check =>
    (probe) =>
      eventually(async () => {
        const query = `${path}?${await view(probe)}`
        const [plain, answer] = [await probe.get(`${query}limit=10`), await probe.get(query + more)]
        if (answer.expectStatus(200).text !== plain.text)
          throw answer.broken(`ids ${idsOf(plain)}`, `ids ${idsOf(answer)}`)
      })
  return [
    ...refused('limit', 'limit', WRONG_LIMITS),
    ...refused('status', 'status', WRONG_STATUSES),
    ...refused('sort', 'sort', WRONG_SORTS),
    ...refused('search', 'search', WRONG_SEARCHES),
    ...refused(filter.id, filter.name, WRONG_IDS),
    row(`${id}.parameters.unknown`, 'Unknown parameters are ignored.')
      .from('docs/interface.md, GET /pets: Other query parameters', reading(first))
      .check(same('limit=10&page=2&Limit=0')),
    row(`${id}.parameters.encoded`, 'A percent-encoded value is the same value.')
      .from('RFC 3986, section 2.1', reading(first))
      .check(same('limit=%31%30')),
  ]
}
