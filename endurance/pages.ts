// Everything that a service lists, read over the API as a client reads it.

import { ask } from '../test/support/process.ts'

export interface ListedPet {
  id: number
  name: string
  /** As it was sent. */
  json: string
}

/** From the first page to the last. `url` is the base address, ending in /v1. Throws when a page is not answered with 200. */
export async function* listedPets(url: string, key: string): AsyncGenerator<ListedPet> {
  let target: string | undefined = '/v1/pets?limit=100'
  while (target !== undefined) {
    const { status, headers, text } = await ask('GET', new URL(target, url).href, key)
    if (status !== 200) throw new Error(`GET ${target} answered ${status}: ${text}`)
    for (const [json] of text.matchAll(/\{[^}]*\}/g)) yield { ...(JSON.parse(json) as ListedPet), json }
    target = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  }
}
