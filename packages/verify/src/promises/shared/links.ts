// The links from page to page of every list, and the cursors in them.

import type { Answer } from '../../answer.ts'
import { absentId, eventually } from '../../fixtures.ts'
import type { Probe } from '../../probe.ts'
import { Unjudged } from '../../request.ts'
import { follow, idsOf, type ListFamily, linkOf, WALKED_PAGES_MAX, walk } from './pages.ts'
import type { PromiseRow } from './promise.ts'
import { answers, type Check, header, parameter, reading, refuses, rowsOf } from './rows.ts'

export function linkRows(family: ListFamily): PromiseRow[] {
  return [...nextRows(family), ...followRows(family), ...prevRows(family)]
}

const sourceOf = ({ operation }: ListFamily) => header(operation === 'listPets' ? 'NextLink' : 'NextOrdersLink')

/** A page of two, which others follow. */
async function pageOf({ path, view }: ListFamily, probe: Probe): Promise<Answer> {
  const query = await view(probe)
  if (idsOf(await probe.get(`${path}?${query}limit=3`)).length < 3) {
    throw new Unjudged('The list is too short to have pages.')
  }
  return (await probe.get(`${path}?${query}limit=2`)).expectStatus(200)
}

/** The first page that must have a link of this relation, and its target. */
async function linked(
  family: ListFamily,
  probe: Probe,
  relation: 'next' | 'prev',
): Promise<{ answer: Answer; target: string }> {
  const start = await pageOf(family, probe)
  const answer = relation === 'next' ? start : await follow(probe, linkOf(start, 'next') ?? '')
  const target = linkOf(answer, relation)
  if (target === undefined) {
    throw answer.broken(`Link with rel="${relation}"`, `Link: ${answer.header('Link') ?? 'none'}`)
  }
  return { answer, target }
}

function nextRows(family: ListFamily): PromiseRow[] {
  const { level, id, path, first, view } = family
  const row = rowsOf(level)
  const source = sourceOf(family)
  const relative: Check = async (probe) => {
    const { answer, target } = await linked(family, probe, 'next')
    const expected = `${probe.target.baseUrl.pathname}${path}?`
    if (!target.startsWith(expected)) throw answer.broken(`a target that begins with ${expected}`, target)
  }
  const parameters: Check = async (probe) => {
    const { answer, target } = await linked(family, probe, 'next')
    const query = target.split(/[?&]/)
    const wanted = ['limit=2', ...(await view(probe)).split('&').filter((part) => part !== '')]
    const lost = wanted.find((part) => !query.includes(part))
    if (lost !== undefined) throw answer.broken(`a target with ${lost}`, target)
    if (!query.some((part) => part.startsWith('cursor='))) throw answer.broken('a target with a cursor', target)
  }
  const after = reading(`${id}.next`)
  const present: Check = async (probe) => linked(family, probe, 'next')
  return [
    row(`${id}.next`, 'Link has rel="next" when more follow.').from(source, reading(first)).check(present),
    row(`${id}.next.relative`, 'The target of rel="next" is relative: the path of the list.')
      .from(source, after)
      .check(relative),
    row(`${id}.next.parameters`, 'The target of rel="next" repeats the query, and has a cursor.')
      .from(source, after)
      .check(parameters),
  ]
}

function followRows(family: ListFamily): PromiseRow[] {
  const { level, id, operation, path, first, filter, view } = family
  const row = rowsOf(level)
  const source = sourceOf(family)
  const followed: Check = (probe) =>
    eventually(async () => {
      const whole = await probe.get(`${path}?${await view(probe)}limit=100`)
      const all = idsOf(whole)
      const start = await pageOf(family, probe)
      const walked = (await walk(probe, start, 'next')).flat()
      const length = Math.min(all.length, walked.length)
      const complete = all.length < 100 ? all.length : length
      const same = walked.slice(0, length).every((one, index) => one === all[index])
      if (!same || (walked.length < complete && walked.length < WALKED_PAGES_MAX * 2)) {
        throw start.broken(`along the links: ids ${all.slice(0, length + 1)}`, `ids ${walked.slice(0, length + 1)}`)
      }
    })
  const none: Check = (probe) =>
    eventually(async () => {
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
  const next = reading(`${id}.next`, `${id}.next.relative`)
  return [
    row(`${id}.next.follow`, 'Along rel="next" everything comes once, without gaps.')
      .from(source, next)
      .check(followed),
    row(`${id}.newest.follow`, 'Along rel="next" of sort=newest everything comes once, the newest first.')
      .from(parameter(operation, 'sort'), reading(`${id}.next.follow`, `${id}.sort.newest`))
      .check((probe) =>
        eventually(async () => {
          const expected = idsOf(await probe.get(`${path}?${await view(probe)}limit=100`)).reverse()
          if (expected.length < 3 || expected.length === 100)
            throw new Unjudged('The list has too few items, or too many.')
          const start = await probe.get(`${path}?${await view(probe)}limit=2&sort=newest`)
          const pages = await walk(probe, start, 'next')
          const walked = pages.flat()
          if (pages.length === WALKED_PAGES_MAX) return
          if (walked.join() !== expected.join()) throw start.broken(`along the links: ids ${expected}`, `ids ${walked}`)
        }),
      ),
    row(`${id}.next.none`, 'The last page has no rel="next".').from(source, reading(first)).check(none),
  ]
}

function prevRows(family: ListFamily): PromiseRow[] {
  const { level, id } = family
  const row = rowsOf(level)
  const source = sourceOf(family)
  const back: Check = (probe) =>
    eventually(async () => {
      const start = await pageOf(family, probe)
      const { answer, target } = await linked(family, probe, 'prev')
      const before = idsOf(await follow(probe, target))
      if (before.join() !== idsOf(start).join())
        throw answer.broken(`before this page: ids ${idsOf(start)}`, `ids ${before}`)
    })
  const noneBefore: Check = async (probe) => {
    const start = await pageOf(family, probe)
    if (linkOf(start, 'prev') !== undefined)
      throw start.broken('no rel="prev" on the first page', `Link: ${start.header('Link')}`)
  }
  const next = reading(`${id}.next`, `${id}.next.relative`)
  return [
    row(`${id}.prev`, 'Link has rel="prev" when something stands before, and leads to it.')
      .from(source, next)
      .check(back),
    row(`${id}.prev.none`, 'The first page has no rel="prev".').from(source, next).check(noneBefore),
  ]
}

export function cursorRows({ level, id, operation, path, statuses, filter, view }: ListFamily): PromiseRow[] {
  const row = rowsOf(level)
  const source = parameter(operation, 'cursor')
  const cursorOf = async (probe: Probe, viewed = true): Promise<string> => {
    const target = linkOf(await probe.get(`${path}?${viewed ? await view(probe) : ''}limit=1`), 'next')
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
  const after = reading(`${id}.next.parameters`)
  const other = path === '/pets' ? '/store/orders' : '/pets'
  const own = reading(`${id}.cursor.invalid`, `${id}.next.parameters`)
  return [
    row(`${id}.cursor.invalid`, 'A cursor that is none: 400 invalid_parameter.')
      .from(source)
      .check(answers(`GET ${path}?cursor=x`, 400, 'invalid_parameter')),
    row(`${id}.cursor.empty`, 'An empty cursor: 400 invalid_parameter.')
      .from(source, reading(`${id}.cursor.invalid`))
      .check(answers(`GET ${path}?cursor=`, 400, 'invalid_parameter')),
    row(`${id}.cursor.twice`, 'A cursor given twice: 400 invalid_parameter.')
      .from(source, own)
      .check(refused((cursor) => `cursor=${cursor}&cursor=${cursor}`)),
    row(`${id}.cursor.changed`, 'A cursor with one character changed: 400 invalid_parameter.')
      .from(source, own)
      .check(refused((cursor) => `cursor=${changed(cursor)}`)),
    row(`${id}.cursor.other-filter`, 'A cursor with another filter: 400 invalid_parameter.')
      .from(source, own)
      .check(async (probe) => {
        await refused((cursor) => `status=${statuses[0]}&${filter.name}=${absentId()}&cursor=${cursor}`, false)(probe)
        for (const more of [`status=${statuses[0]}`, 'search=x'])
          await refused((cursor) => `${more}&cursor=${cursor}`)(probe)
      }),
    row(`${id}.cursor.other-order`, 'A cursor with another order: 400 invalid_parameter.')
      .from(source, own)
      .check(refused((cursor) => `sort=newest&cursor=${cursor}`)),
    ...(level === 'store'
      ? [
          row(`${id}.cursor.other-list`, 'A cursor of another list: 400 invalid_parameter.')
            .from(source, own)
            // Without a filter, which would tell the lists apart, too.
            .check(
              refuses(
                async (probe) => probe.get(`${other}?cursor=${await cursorOf(probe, false)}`),
                400,
                'invalid_parameter',
              ),
            ),
        ]
      : []),
    row(`${id}.cursor.limit`, 'A cursor goes with another limit.')
      .from(source, after)
      .check(async (probe) =>
        (await probe.get(`${path}?${await view(probe)}limit=5&cursor=${await cursorOf(probe)}`)).expectStatus(200),
      ),
  ]
}
