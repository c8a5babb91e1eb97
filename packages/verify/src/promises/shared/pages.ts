// A list of ours, for the rows that all of them have, and its pages: links, and what stands on a page.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import type { Probe } from '../../probe.ts'
import type { Level } from './promise.ts'

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

export const WALKED_PAGES_MAX = 40
const LINK = /<([^<>]*)>\s*;\s*rel="?([\w-]+)"?/g

/** The target of a link of the answer (RFC 8288). */
export function linkOf(answer: Answer, relation: string): string | undefined {
  return [...(answer.header('Link') ?? '').matchAll(LINK)].find(([, , rel]) => rel === relation)?.[1]
}

/** The same, which there has to be. */
export function targetOf(answer: Answer, relation: 'next' | 'prev'): string {
  const target = linkOf(answer, relation)
  if (target !== undefined) return target
  throw answer.broken(`Link with rel="${relation}"`, `Link: ${answer.header('Link') ?? 'none'}`)
}

/** Follows a link to a page of the same server. */
export function follow(probe: Probe, target: string): Promise<Answer> {
  const { pathname } = probe.target.baseUrl
  return probe.get(target.startsWith(`${pathname}/`) ? target.slice(pathname.length) : target)
}

/** The ids of the pages from `answer` on, along the links of this relation. */
export async function walk(probe: Probe, answer: Answer, relation: string): Promise<string[][]> {
  const pages = [answer.expectStatus(200).ids]
  for (let next = linkOf(answer, relation); next !== undefined && pages.length < WALKED_PAGES_MAX; ) {
    const page = (await follow(probe, next)).expectStatus(200)
    pages.push(page.ids)
    next = linkOf(page, relation)
  }
  return pages
}
