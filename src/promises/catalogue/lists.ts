// What every list of ours promises: its pages and links, its order, and that a wrong parameter is refused, never ignored or clamped. One family
// of rows, for pets and for orders.

import type { OperationId } from '../../contract/contract.ts'
import { type Answer, textOf } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId, settled } from '../fixtures.ts'
import type { Probe } from '../probe.ts'
import type { Level, PromiseRow } from '../promise.ts'
import { answers, type Check, header, parameter, refuses, rowsOf } from './rows.ts'

export interface ListFamily {
  level: Level
  /** The beginning of the ids: `pets.list`. */
  id: string
  operation: OperationId
  /** Behind the base path. */
  path: string
  /** The promise without which nothing can be said of the list. */
  first: string
  statuses: readonly string[]
  /** A filter by a number, and its name in ids. */
  filter: { name: string; id: string }
  /**
   * A query that leads to a part of the list with several items, which ends in `&` unless it is empty. Where something may be added, nobody else
   * writes there.
   */
  view(probe: Probe): Promise<string>
}

const WALKED_PAGES_MAX = 40
const LINK = /<([^>]*)>\s*;\s*rel="?([\w-]+)"?/g

/** The target of a link of the answer (RFC 8288). */
export function linkOf(answer: Answer, relation: string): string | undefined {
  return [...(answer.header('Link') ?? '').matchAll(LINK)].find(([, , rel]) => rel === relation)?.[1]
}

/** Follows a link to a page of the same server. */
export function follow(probe: Probe, target: string): Promise<Answer> {
  const { pathname } = probe.target.baseUrl
  return probe.get(target.startsWith(`${pathname}/`) ? target.slice(pathname.length) : target)
}

export const idsOf = (answer: Answer): string[] =>
  answer
    .expectStatus(200)
    .objects()
    .map((item) => textOf(item.get('id')))

/** Rows of one list. */
export function listRows(family: ListFamily): PromiseRow[] {
  return [
    ...linkRows(family),
    ...cursorRows(family),
    ...orderRows(family),
    ...filterRows(family),
    ...refusedRows(family),
  ]
}

/** The ids of the pages from `answer` on, along the links of this relation. */
async function walk(probe: Probe, answer: Answer, relation: string): Promise<string[][]> {
  const pages = [idsOf(answer)]
  for (let next = linkOf(answer, relation); next !== undefined && pages.length < WALKED_PAGES_MAX; ) {
    const page = await follow(probe, next)
    pages.push(idsOf(page))
    next = linkOf(page, relation)
  }
  return pages
}

function linkRows({ level, id, operation, path, first, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = header(operation === 'listPets' ? 'NextLink' : 'NextOrdersLink')
  /** A page of two, which others follow. */
  const page = async (probe: Probe, more = ''): Promise<Answer> => {
    const query = (await view(probe)) + more
    if (idsOf(await probe.get(`${path}?${query}limit=3`)).length < 3)
      throw new Unjudged('The list is too short to have pages.')
    return (await probe.get(`${path}?${query}limit=2`)).expectStatus(200)
  }
  const linked = async (probe: Probe, relation: 'next' | 'prev'): Promise<{ answer: Answer; target: string }> => {
    const start = await page(probe)
    const answer = relation === 'next' ? start : await follow(probe, linkOf(start, 'next') ?? '')
    const target = linkOf(answer, relation)
    if (target === undefined)
      throw answer.broken(`Link with rel="${relation}"`, `Link: ${answer.header('Link') ?? 'none'}`)
    return { answer, target }
  }
  const relative: Check = async (probe) => {
    const { answer, target } = await linked(probe, 'next')
    const expected = `${probe.target.baseUrl.pathname}${path}?`
    if (!target.startsWith(expected)) throw answer.broken(`a target that begins with ${expected}`, target)
  }
  const parameters: Check = async (probe) => {
    const { answer, target } = await linked(probe, 'next')
    const query = target.split(/[?&]/)
    const wanted = ['limit=2', ...(await view(probe)).split('&').filter((part) => part !== '')]
    const lost = wanted.find((part) => !query.includes(part))
    if (lost !== undefined) throw answer.broken(`a target with ${lost}`, target)
    if (!query.some((part) => part.startsWith('cursor='))) throw answer.broken('a target with a cursor', target)
  }
  const followed: Check = (probe) =>
    settled(async () => {
      const whole = await probe.get(`${path}?${await view(probe)}limit=100`)
      const all = idsOf(whole)
      const start = await page(probe)
      const walked = (await walk(probe, start, 'next')).flat()
      const length = Math.min(all.length, walked.length)
      const complete = all.length < 100 ? all.length : length
      const same = walked.slice(0, length).every((one, index) => one === all[index])
      if (!same || (walked.length < complete && walked.length < WALKED_PAGES_MAX * 2)) {
        throw start.broken(`along the links: ids ${all.slice(0, length + 1)}`, `ids ${walked.slice(0, length + 1)}`)
      }
    })
  const none: Check = (probe) =>
    settled(async () => {
      const query = `${path}?${probe.target.write ? await view(probe) : `${filter.name}=${absentId()}&`}`
      const { length } = idsOf(await probe.get(`${query}limit=100`))
      const ends = [
        await probe.get(`${query}limit=100`),
        ...(length > 0 ? [await probe.get(`${query}limit=${length}`)] : []),
      ]
      for (const end of ends) {
        const target = linkOf(end, 'next')
        if (target !== undefined) throw end.broken('no rel="next" on the last page', target)
      }
    })
  const back: Check = (probe) =>
    settled(async () => {
      const start = await page(probe)
      const { answer, target } = await linked(probe, 'prev')
      const before = idsOf(await follow(probe, target))
      if (before.join() !== idsOf(start).join())
        throw answer.broken(`before this page: ids ${idsOf(start)}`, `ids ${before}`)
    })
  const noneBefore: Check = async (probe) => {
    const start = await page(probe)
    if (linkOf(start, 'prev') !== undefined)
      throw start.broken('no rel="prev" on the first page', `Link: ${start.header('Link')}`)
  }
  const next = { after: [`${id}.next`, `${id}.next.relative`] }
  return [
    row(
      `${id}.next`,
      'Link has rel="next" when more follow.',
      source,
      async (probe) => {
        await linked(probe, 'next')
      },
      { after: [first] },
    ),
    row(`${id}.next.relative`, 'The target of rel="next" is relative: the path of the list.', source, relative, {
      after: [`${id}.next`],
    }),
    row(`${id}.next.parameters`, 'The target of rel="next" repeats the query, and has a cursor.', source, parameters, {
      after: [`${id}.next`],
    }),
    row(`${id}.next.follow`, 'Along rel="next" everything comes once, without gaps.', source, followed, next),
    row(`${id}.next.none`, 'The last page has no rel="next".', source, none, { after: [first] }),
    row(`${id}.prev`, 'Link has rel="prev" when something stands before, and leads to it.', source, back, next),
    row(`${id}.prev.none`, 'The first page has no rel="prev".', source, noneBefore, next),
  ]
}

function cursorRows({ level, id, operation, path, statuses, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(operation, 'cursor')
  const cursorOf = async (probe: Probe): Promise<string> => {
    const target = linkOf(await probe.get(`${path}?${await view(probe)}limit=1`), 'next')
    const [, cursor] = /[?&]cursor=([^&]*)/.exec(target ?? '') ?? []
    if (cursor === undefined) throw new Unjudged('No cursor is handed out.')
    return cursor
  }
  const refused = (query: (cursor: string) => string, viewed = true): Check =>
    refuses(
      async (probe) => probe.get(`${path}?${viewed ? await view(probe) : ''}${query(await cursorOf(probe))}`),
      400,
      'invalid_parameter',
    )
  const changed = (cursor: string) => cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
  const after = { after: [`${id}.next.parameters`] }
  const other = path === '/pets' ? '/store/orders' : '/pets'
  const own = { after: [`${id}.cursor.invalid`, ...after.after] }
  return [
    row(
      `${id}.cursor.invalid`,
      'A cursor that is none: 400 invalid_parameter.',
      source,
      answers(`GET ${path}?cursor=x`, 400, 'invalid_parameter'),
    ),
    row(
      `${id}.cursor.empty`,
      'An empty cursor: 400 invalid_parameter.',
      source,
      answers(`GET ${path}?cursor=`, 400, 'invalid_parameter'),
      { after: [`${id}.cursor.invalid`] },
    ),
    row(
      `${id}.cursor.twice`,
      'A cursor given twice: 400 invalid_parameter.',
      source,
      refused((cursor) => `cursor=${cursor}&cursor=${cursor}`),
      own,
    ),
    row(
      `${id}.cursor.changed`,
      'A cursor with one character changed: 400 invalid_parameter.',
      source,
      refused((cursor) => `cursor=${changed(cursor)}`),
      own,
    ),
    row(
      `${id}.cursor.other-filter`,
      'A cursor with another filter: 400 invalid_parameter.',
      source,
      refused((cursor) => `status=${statuses[0]}&${filter.name}=${absentId()}&cursor=${cursor}`, false),
      own,
    ),
    row(
      `${id}.cursor.other-order`,
      'A cursor with another order: 400 invalid_parameter.',
      source,
      refused((cursor) => `sort=newest&cursor=${cursor}`),
      own,
    ),
    ...(level === 'store'
      ? [
          row(
            `${id}.cursor.other-list`,
            'A cursor of another list: 400 invalid_parameter.',
            source,
            refuses(async (probe) => probe.get(`${other}?cursor=${await cursorOf(probe)}`), 400, 'invalid_parameter'),
            own,
          ),
        ]
      : []),
    row(
      `${id}.cursor.limit`,
      'A cursor goes with another limit.',
      source,
      async (probe) => {
        ;(await probe.get(`${path}?${await view(probe)}limit=5&cursor=${await cursorOf(probe)}`)).expectStatus(200)
      },
      after,
    ),
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
  const invalid = (query: string) => answers(`GET ${path}?${query}`, 400, 'invalid_parameter')
  return [
    row(
      `${id}.order`,
      'The list is in the order of the ids, oldest first.',
      operation === 'listPets'
        ? 'docs/interface.md, GET /pets: Order'
        : 'docs/interface.md, The store area: List of orders',
      async (probe) => expectOrder(await all(probe), 1n),
      { after: [first] },
    ),
    row(
      `${id}.sort.newest`,
      'sort=newest lists the newest first.',
      source,
      (probe) =>
        settled(async () => {
          const answer = await all(probe, '&sort=newest')
          expectOrder(answer, -1n)
          const oldest = idsOf(await all(probe))
          const newest = idsOf(answer)
          if (oldest.length < 100 && oldest.reverse().join() !== newest.join()) {
            throw answer.broken(`ids ${oldest}`, `ids ${newest}`)
          }
        }),
      { after: [`${id}.order`] },
    ),
    row(
      `${id}.sort.oldest`,
      'sort=oldest is the same as no sort.',
      source,
      (probe) =>
        settled(async () => {
          const answer = await all(probe, '&sort=oldest')
          const plain = await all(probe)
          if (answer.text !== plain.text) throw answer.broken(`ids ${idsOf(plain)}`, `ids ${idsOf(answer)}`)
        }),
      { after: [`${id}.order`] },
    ),
    row(`${id}.sort.unknown`, 'Another sort: 400 invalid_parameter.', source, invalid('sort=name')),
    row(`${id}.sort.empty`, 'An empty sort: 400 invalid_parameter.', source, invalid('sort='), {
      after: [`${id}.sort.unknown`],
    }),
    row(`${id}.sort.twice`, 'sort given twice: 400 invalid_parameter.', source, invalid('sort=newest&sort=newest')),
  ]
}

function filterRows({ level, id, operation, path, first, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(operation, filter.name)
  const invalid = (value: string) => answers(`GET ${path}?${filter.name}=${value}`, 400, 'invalid_parameter')
  const after = { after: [`${id}.${filter.id}.text`] }
  return [
    row(
      `${id}.${filter.id}`,
      `${filter.name} narrows the list to the items that have it.`,
      source,
      async (probe) => {
        const query = await view(probe)
        const [item] = (await probe.get(`${path}?${query}limit=1`)).expectStatus(200).objects()
        if (!item) throw new Unjudged('The list is empty.')
        const answer = (
          await probe.get(`${path}?limit=100&${filter.name}=${textOf(item.get(filter.name))}`)
        ).expectStatus(200)
        for (const one of answer.objects()) answer.expectMember(one, filter.name, item.get(filter.name) ?? null)
      },
      { after: [first] },
    ),
    row(
      `${id}.${filter.id}.none`,
      `A ${filter.name} that no item has gives an empty list.`,
      source,
      async (probe) => {
        const answer = (await probe.get(`${path}?${filter.name}=${absentId()}`)).expectStatus(200)
        if (answer.array().length > 0) throw answer.broken('[]', answer.text)
      },
      { after: [`${id}.${filter.id}`] },
    ),
    row(`${id}.${filter.id}.text`, `A ${filter.name} that is no number: 400 invalid_parameter.`, source, invalid('x')),
    row(`${id}.${filter.id}.empty`, `An empty ${filter.name}: 400 invalid_parameter.`, source, invalid(''), after),
    row(
      `${id}.${filter.id}.fraction`,
      `A ${filter.name} of 1.0: 400 invalid_parameter.`,
      source,
      invalid('1.0'),
      after,
    ),
    row(
      `${id}.${filter.id}.range`,
      `A ${filter.name} outside int64: 400 invalid_parameter.`,
      source,
      invalid('9223372036854775808'),
      after,
    ),
    row(
      `${id}.${filter.id}.twice`,
      `${filter.name} given twice: 400 invalid_parameter.`,
      source,
      invalid(`1&${filter.name}=1`),
    ),
  ]
}

/** name: query, words, and the row after which it is judged. */
const LIMITS: Record<string, readonly [string, string, string?]> = {
  zero: ['0', 'limit=0'],
  'too-large': ['101', 'limit=101, which is never clamped'],
  huge: ['99999999999999999999', 'A limit beyond every integer', 'too-large'],
  text: ['ten', 'A limit that is no number'],
  empty: ['', 'An empty limit', 'text'],
  negative: ['-1', 'limit=-1', 'zero'],
  plus: ['%2B5', 'A limit with a sign', 'text'],
  'leading-zero': ['05', 'A limit with a leading zero'],
  fraction: ['5.0', 'limit=5.0', 'leading-zero'],
  exponent: ['1e1', 'limit=1e1', 'leading-zero'],
  space: ['5%20', 'A limit with a space', 'leading-zero'],
  twice: ['5&limit=5', 'limit given twice'],
}
const STATUSES: Record<string, readonly [string, string, string?]> = {
  unknown: ['gone', 'An unknown status'],
  empty: ['', 'An empty status', 'unknown'],
  case: ['Pending', 'A status in other letters', 'unknown'],
  twice: ['pending&status=pending', 'status given twice'],
}

function refusedRows({ level, id, operation, path, first, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const refused = (name: string, table: typeof LIMITS) =>
    Object.entries(table).map(([what, [value, words, after]]) =>
      row(
        `${id}.${name}.${what}`,
        `${words}: 400 invalid_parameter.`,
        parameter(operation, name),
        answers(`GET ${path}?${name}=${value}`, 400, 'invalid_parameter'),
        after ? { after: [`${id}.${name}.${after}`] } : {},
      ),
    )
  const same =
    (more: string): Check =>
    (probe) =>
      settled(async () => {
        const query = `${path}?${await view(probe)}`
        const [plain, answer] = [await probe.get(`${query}limit=10`), await probe.get(query + more)]
        if (answer.expectStatus(200).text !== plain.text)
          throw answer.broken(`ids ${idsOf(plain)}`, `ids ${idsOf(answer)}`)
      })
  return [
    ...refused('limit', LIMITS),
    ...refused('status', STATUSES),
    row(
      `${id}.parameters.unknown`,
      'Unknown parameters are ignored.',
      'docs/interface.md, GET /pets: Other query parameters',
      same('limit=10&page=2&Limit=0'),
      { after: [first] },
    ),
    row(
      `${id}.parameters.encoded`,
      'A percent-encoded value is the same value.',
      'RFC 3986, section 2.1',
      same('limit=%31%30'),
      { after: [first] },
    ),
  ]
}
