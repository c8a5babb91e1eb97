// Reads a list forwards and backwards, and compares each page and its links with the whole list.

import { expect } from 'bun:test'
import type { Page, PagePosition } from '../../packages/service/src/domain/lists.ts'

/** `expected` has the ids of the whole list in order. */
export async function expectPages(
  expected: readonly bigint[],
  limit: number,
  read: (at: PagePosition) => Promise<Page>,
) {
  let at = 0
  let page = expectPage(expected, 0, limit, await read({ after: undefined, back: false }))
  while (page.next !== undefined) {
    at += limit
    page = expectPage(expected, at, at + limit, await read({ after: page.next, back: false }))
  }
  while (page.prev !== undefined) {
    const start = Math.max(0, at - limit)
    page = expectPage(expected, start, at, await read({ after: page.prev, back: true }))
    expectPage(expected, at, at + limit, await read({ after: page.next, back: false }))
    at = start
  }
  expect(at).toBe(0)
}

/** A limit that results in about four pages. */
export function quarter(list: readonly unknown[]): number {
  return Math.ceil(list.length / 4)
}

function expectPage(expected: readonly bigint[], from: number, to: number, page: Page): Page {
  expect(idsOf(page)).toEqual(expected.slice(from, to))
  expect([page.prev !== undefined, page.next !== undefined]).toEqual([from > 0, to < expected.length])
  return page
}

export function idsOf({ json }: Page): bigint[] {
  return [...json.matchAll(/[[,]\{"id":(-?\d+)/g)].map(([, id]) => BigInt(id as string))
}
