// A list as input for the shared rows, and functions that follow its page links.

import type { Answer } from '../../answer.ts'
import type { Probe } from '../../probe.ts'
import { Unjudged } from '../../request.ts'

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
const LINK = /<([^<>]*)>\s*;\s*rel="?([\w-]+)"?/g

/** Returns the target of a link in the response (RFC 8288). */
export function linkOf(answer: Answer, relation: string): string | undefined {
  return [...(answer.header('Link') ?? '').matchAll(LINK)].find(([, , rel]) => rel === relation)?.[1]
}

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
export function belowBase({ target: { baseUrl } }: Probe, answer: Answer, link: string): string {
  const { href = '' } = URL.parse(link, baseUrl.href + answer.request.path) ?? {}
  if (href.startsWith(`${baseUrl.href}/`)) return href.slice(baseUrl.href.length)
  throw new Unjudged(`The link ${link} leads outside of ${baseUrl.href}.`)
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
