// What people open in a browser: the console at `/` and the API reference at `/docs`. Every file comes from here, and
// each page may load from here and talk to here alone.

import { dirname, join } from 'node:path'
import { PetstoreError } from '../../domain/errors.ts'
import { Route } from '../route.ts'
import { type Bundle, bundle } from './bundle.ts'
import { StaticFile } from './static-file.ts'

const CONSOLE_POLICY = policy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  // No text ever becomes markup or script.
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
})

/** The reference's library makes style elements and carries its pictures and fonts as data. */
const REFERENCE_POLICY = policy({
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'connect-src': "'self'",
})

/** Carries the part of @scalar/api-reference that runs in a browser, in one file, without the 270 packages of the rest. */
const SCALAR = '@scalar/fastify-api-reference'

export function pages(): Route[] {
  return [
    ...page('/', '/console/', CONSOLE_POLICY, () => bundle(source('console'), '/console/')),
    ...page('/docs', '/docs/', REFERENCE_POLICY, reference),
  ]
}

function page(path: string, below: string, policy: string, build: () => Promise<Bundle>): Route[] {
  const bundle = once(build)
  const headers = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
  return [
    new Route(path, { GET: async ({ request }) => (await bundle()).page.answer(request, headers) }),
    new Route(`${below}{file}`, {
      GET: async ({ request }) => {
        const file = (await bundle()).files.get(request.params.file ?? '')
        if (!file) throw new PetstoreError('not_found', 'Nothing exists at this path.')
        return file.answer(request, headers)
      },
    }),
  ]
}

/** Our few lines are bundled; the library is served as it came, and runs before them. */
async function reference(): Promise<Bundle> {
  const script = join(dirname(Bun.resolveSync(SCALAR, import.meta.dir)), 'js', 'standalone.js')
  const library = new StaticFile(await Bun.file(script).bytes(), 'text/javascript;charset=utf-8', 'immutable')
  const name = `scalar-${library.digest}.js`
  const { page, files } = await bundle(source('reference'), '/docs/', (html) =>
    html.replace('<head>', `<head><script defer src="/docs/${name}"></script>`),
  )
  return { page, files: new Map([...files, [name, library]]) }
}

/** When it is asked for first, so that a start does not wait for it; again at the next call where it failed. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}

function source(folder: string): string {
  return join(import.meta.dir, '..', '..', folder, 'index.html')
}

function policy(directives: Record<string, string>): string {
  const closed = { 'default-src': "'none'", 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" }
  return Object.entries({ ...closed, ...directives })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
