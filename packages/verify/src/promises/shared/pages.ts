// A list as input for the shared rows, and functions that follow its page links.

import type { Answer } from '../../answer.ts'
import type { Probe } from '../../probe.ts'

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

/** Follows a relative link. */
export function follow(probe: Probe, target: string): Promise<Answer> {
  const { pathname } = probe.target.baseUrl
  return probe.get(target.startsWith(`${pathname}/`) ? target.slice(pathname.length) : target)
}

/** Resolves with the ids on each page from `answer` on, following the links of this relation. */
export async function walk(probe: Probe, answer: Answer, relation: string): Promise<string[][]> {
  const pages = [answer.expectStatus(200).ids]
  for (let next = linkOf(answer, relation); next !== undefined && pages.length < WALKED_PAGES_MAX; ) {
    const page = (await follow(probe, next)).expectStatus(200)
    pages.push(page.ids)
    next = linkOf(page, relation)
  }
  return pages
}
