// The answer for a path that does not exist: it suggests the path that was probably meant. Browsers get a small page.

import { basePath, pathOf } from '../../../../contract/src/contract.ts'
import { int64FromDecimal } from '../../../../contract/src/int64.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { LinkTo } from '../links.ts'
import type { Answer } from '../response/response.ts'
import { SECURITY_HEADERS } from '../response/shared-headers.ts'

const HTML_HEADERS = new Headers({
  ...SECURITY_HEADERS,
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Content-Type': 'text/html;charset=utf-8',
  'Cache-Control': 'no-store',
})

export type NotFound = (request: Request) => Answer

/** `paths` are those that exist, as in the contract. The answer repeats nothing of the request but digits. Throws `not_found`. */
export function notFound(paths: readonly string[], linkTo: LinkTo): NotFound {
  const known = paths.flatMap((path) =>
    [path, path.replace('/store/', '/')].map((written) => ({ path, segments: segmentsOf(written) })),
  )

  function meant(path: string): string | undefined {
    const requested = segmentsOf(path)
    if (requested.length === 0 && path.startsWith(basePath)) return linkTo(pathOf('listPets'))
    const found = known.find(
      ({ segments }) =>
        segments.length === requested.length && segments.every((segment, at) => isMeant(segment, requested[at] ?? '')),
    )
    return found && linkTo(found.path.replace(/\{\w+\}/, () => requested.find(isId) ?? ''))
  }

  return ({ url, method, headers }) => {
    const path = pathIn(url)
    const suggestion = meant(path)
    const isBrowser = headers.get('Accept')?.includes('text/html') && ['GET', 'HEAD'].includes(method)
    // Below /v1 every error is an Error of the contract, for browsers, too.
    if (isBrowser && !path.startsWith(`${basePath}/`)) {
      return { status: 404, body: page(linkTo, suggestion), base: HTML_HEADERS }
    }
    const question = suggestion ? ` Did you mean ${suggestion}?` : ''
    throw new PetstoreError('not_found', `Nothing exists at this path.${question}`)
  }
}

/** With an invalid Host, Bun gives only the request's target. */
function pathIn(url: string): string {
  const [target = ''] = url.split('?')
  return target.startsWith('/') ? target : target.slice(target.indexOf('/', target.indexOf('://') + 3))
}

/** Equal for paths that people take for each other: in the singular, with a slash too many, without /v1. */
function segmentsOf(path: string): string[] {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter(Boolean)
    .map((segment) => segment.replace(/s$/, ''))
  return `/${segments[0]}` === basePath ? segments.slice(1) : segments
}

function isMeant(segment: string, requested: string): boolean {
  return segment.startsWith('{') ? isId(requested) : segment === requested
}

function isId(text: string): boolean {
  return int64FromDecimal(text) !== undefined
}

function page(linkTo: LinkTo, suggestion: string | undefined): string {
  const question = suggestion ? `<p>Did you mean <a href="${suggestion}">${suggestion}</a>?</p>` : ''
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · Petstore</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>Nothing exists here</h1>
${question}
<p><a href="${linkTo('/')}">The animals</a> · <a href="${linkTo('/docs')}">The API reference</a></p>
</html>
`
}
