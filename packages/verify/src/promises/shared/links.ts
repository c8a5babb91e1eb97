// Rows that every list has about its page links and cursors, and functions that follow links.

import type { Answer } from '../../answer.ts'
import { absentId } from '../../fixtures.ts'
import { linkIn } from '../../headers.ts'
import type { Probe } from '../../probe.ts'
import { familyOf, header, parameter, racing, reading } from './rows.ts'

/** Resolves with a page of two items that is not the last. */
async function pageOf({ id, quietQuery }: ListFamily, probe: Probe): Promise<Answer> {
  const { path } = familyOf(id)
  const query = await quietQuery(probe)
  if ((await probe.read(`${path}?${query}limit=3`)).ids.length < 3) {
    throw probe.unjudged('The list is too short to have pages.')
  }
  return probe.read(`${path}?${query}limit=2`)
}

function expectNoLink(answer: Answer, relation: 'next' | 'prev'): void {
  answer.expect(linkOf(answer, relation) === undefined, `no rel="${relation}"`, `Link: ${answer.header('Link')}`)
}

export function linkRows(family: ListFamily) {
  const { id, first, filter, quietQuery } = family
  const { row, of, path } = familyOf(id)
  const source = header(of === 'listPets' ? 'NextLink' : 'NextOrdersLink')
  const next = racing(`${id}.next`)
  return [
    row(`${id}.next`, 'Link has rel="next" if more items follow: a relative target with the query and a cursor.')
      .from(source, reading(first))
      .check(async (probe) => {
        const answer = await pageOf(family, probe)
        const target = nextBelowBase(probe, answer)
        const begin = `${path}?`
        answer.expect(target.startsWith(begin), `a target that begins with ${begin}`, target)
        const query = target.split(/[?&]/)
        const wanted = ['limit=2', ...(await quietQuery(probe)).split('&').filter((part) => part !== '')]
        const lost = wanted.find((part) => !query.includes(part))
        answer.expect(lost === undefined, `a target with ${lost}`, target)
        const hasCursor = query.some((part) => part.startsWith('cursor='))
        answer.expect(hasCursor, 'a target with a cursor', target)
      }),
    row(`${id}.next.follow`, 'Following rel="next" lists each item once, without gaps.')
      .from(source, next)
      .check(async (probe) => {
        const all = (await probe.read(`${path}?${await quietQuery(probe)}limit=100`)).ids
        const start = await pageOf(family, probe)
        const walked = (await walk(probe, start, 'next')).flat()
        // If one of the two was cut, only the common start is compared.
        const isCut = walked.length >= WALKED_PAGES_MAX * 2 || all.length === 100
        const length = isCut ? Math.min(all.length, walked.length) : undefined
        start.expectIds(all.slice(0, length), walked.slice(0, length))
      }),
    row(`${id}.newest.follow`, 'Following rel="next" with sort=newest lists each item once, newest first.')
      .from(parameter(of, 'sort'), racing(`${id}.next.follow`, `${id}.sort.newest`))
      .check(async (probe) => {
        const expected = (await probe.read(`${path}?${await quietQuery(probe)}limit=100`)).ids.reverse()
        if (expected.length < 3 || expected.length === 100)
          throw probe.unjudged('The list has too few items, or too many.')
        const start = await probe.read(`${path}?${await quietQuery(probe)}limit=2&sort=newest`)
        const pages = await walk(probe, start, 'next')
        if (pages.length < WALKED_PAGES_MAX) start.expectIds(expected, pages.flat())
      }),
    row(`${id}.next.none`, 'The last page has no rel="next".')
      .from(source, racing(first))
      .check(async (probe) => {
        const query = `${path}?${probe.target.write ? await quietQuery(probe) : `${filter.name}=${absentId()}&`}`
        const whole = await probe.read(`${query}limit=100`)
        expectNoLink(whole, 'next')
        const { length } = whole.ids
        if (length > 0) expectNoLink(await probe.read(`${query}limit=${length}`), 'next')
      }),
    row(`${id}.prev`, 'Link has rel="prev" on every page but the first, with the page before.')
      .from(source, next)
      .check(async (probe) => {
        const start = await pageOf(family, probe)
        expectNoLink(start, 'prev')
        const second = await follow(probe, start, targetOf(start, 'next'))
        const first = await follow(probe, second, targetOf(second, 'prev'))
        second.expectIds(start.ids, first.expectStatus(200).ids)
      }),
  ]
}

export function cursorRows({ id, statuses, filter, quietQuery }: ListFamily) {
  const { row, of, path } = familyOf(id)
  const source = parameter(of, 'cursor')
  const cursorAt = async (probe: Probe, query: string): Promise<string> => {
    const target = linkOf(await probe.get(`${path}?${query}limit=1`), 'next')
    const [, cursor] = /[?&]cursor=([^&]*)/.exec(target ?? '') ?? []
    if (cursor === undefined) throw probe.unjudged('The list has no cursor.')
    return cursor
  }
  const changed = (cursor: string) => cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
  return [
    row(`${id}.cursor.other`, 'A repeated or altered cursor, or another filter or order: 400 invalid_parameter.')
      .from(source, reading(`${id}.cursor.wrong`, `${id}.next`))
      .check(async (probe) => {
        const query = await quietQuery(probe)
        const cursor = await cursorAt(probe, query)
        const wrong = [
          `${query}cursor=${cursor}&cursor=${cursor}`,
          `${query}cursor=${changed(cursor)}`,
          `status=${statuses[0]}&${filter.name}=${absentId()}&cursor=${cursor}`,
          `${query}status=${statuses[0]}&cursor=${cursor}`,
          `${query}search=x&cursor=${cursor}`,
          `${query}sort=newest&cursor=${cursor}`,
          ...(query === '' ? [] : [`cursor=${cursor}`]),
        ]
        for (const one of wrong) (await probe.get(`${path}?${one}`)).expectError(400, 'invalid_parameter')
      }),
    ...(id === 'orders.list'
      ? [
          row(`${id}.cursor.other-list`, 'A cursor of another list: 400 invalid_parameter.')
            .from(source, reading(`${id}.cursor.wrong`, `${id}.next`))
            // Without a filter, which would also make the cursor invalid.
            .check(async (probe) =>
              (await probe.get(`/pets?cursor=${await cursorAt(probe, '')}`)).expectError(400, 'invalid_parameter'),
            ),
        ]
      : []),
    row(`${id}.cursor.limit`, 'A cursor is valid with another limit.')
      .from(source, reading(`${id}.next`))
      .check(async (probe) => {
        const query = await quietQuery(probe)
        await probe.read(`${path}?${query}limit=5&cursor=${await cursorAt(probe, query)}`)
      }),
  ]
}

export interface ListFamily {
  /** The start of the ids: `pets.list`. */
  id: string
  /** The promise that all rows depend on. */
  first: string
  statuses: readonly string[]
  /** A numeric filter, and its name in ids. */
  filter: { name: string; id: string }
  /**
   * Resolves with a query, empty or ending in `&`, for a part of the list with several items. If checks can write, no
   * other client writes to this part.
   */
  quietQuery(probe: Probe): Promise<string>
}

export const WALKED_PAGES_MAX = 40

/** Returns the target of a link in the response. */
export const linkOf = ({ headers }: Answer, relation: string) => linkIn(headers, relation)

/** As `linkOf`, but expects the link. */
export function targetOf(answer: Answer, relation: 'next' | 'prev'): string {
  const target = linkOf(answer, relation)
  if (target !== undefined) return target
  throw answer.broken(`Link with rel="${relation}"`, `Link: ${answer.header('Link') ?? 'none'}`)
}

/**
 * Resolves a link against the address of its response (RFC 3986, 5.2). Returns the path below the base URL, with the
 * query. Throws Unjudged if the link leads elsewhere, as behind a gateway whose path the server does not know.
 */
export function belowBase(probe: Probe, answer: Answer, link: string): string {
  const { baseUrl } = probe.target
  const { href = '' } = URL.parse(link, baseUrl.href + answer.request.path) ?? {}
  if (href.startsWith(`${baseUrl.href}/`)) return href.slice(baseUrl.href.length)
  throw probe.unjudged(`The link ${link} leads outside of ${baseUrl.href}.`)
}

/** As `belowBase`, for the link `next`, which must be relative. */
export function nextBelowBase(probe: Probe, answer: Answer): string {
  const link = targetOf(answer, 'next')
  const isRelative = !URL.canParse(link) && !link.startsWith('//')
  return belowBase(probe, answer.expect(isRelative, 'a relative target', link), link)
}

/** Follows a link of the response. */
export function follow(probe: Probe, answer: Answer, link: string): Promise<Answer> {
  return probe.get(belowBase(probe, answer, link))
}

/** Resolves with the ids on each page from `answer` on, following the links of this relation. */
export async function walk(probe: Probe, answer: Answer, relation: string): Promise<string[][]> {
  const pages = [answer.expectStatus(200).ids]
  let page = answer
  for (let next = linkOf(page, relation); next !== undefined && pages.length < WALKED_PAGES_MAX; ) {
    page = (await follow(probe, page, next)).expectStatus(200)
    pages.push(page.ids)
    next = linkOf(page, relation)
  }
  return pages
}
