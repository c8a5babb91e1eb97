// Everything that a service lists, read over the API as a client reads it.

import { ask } from '../test/support/process.ts'

export interface Listed {
  id: number
  /** As it was sent. */
  json: string
}

export function listedPets(url: string, key: string): AsyncGenerator<Listed & { name: string }> {
  return listed(url, key, '/v1/pets?limit=100')
}

/** How long a server may answer 503 after its database was killed, before it finds the database again. */
const UNAVAILABLE_MS_MAX = 10_000
const PAUSE_MS = 50

/**
 * From the first page, `path`, to the last. `url` is the base address, ending in /v1. Sends again what is answered with 503. Throws
 * when a page is not answered with 200. No member of an item may be an object, no text may have a brace.
 */
export async function* listed<Item>(url: string, key: string, path: string): AsyncGenerator<Listed & Item> {
  let target: string | undefined = path
  while (target !== undefined) {
    const { status, headers, text } = await askAgain(new URL(target, url).href, key)
    if (status !== 200) throw new Error(`GET ${target} answered ${status}: ${text}`)
    for (const [json] of text.matchAll(/\{[^}]*\}/g)) yield { ...(JSON.parse(json) as Listed & Item), json }
    target = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  }
}

async function askAgain(url: string, key: string) {
  for (const until = performance.now() + UNAVAILABLE_MS_MAX; ; await Bun.sleep(PAUSE_MS)) {
    const answer = await ask('GET', url, key)
    if (answer.status !== 503 || performance.now() > until) return answer
  }
}
