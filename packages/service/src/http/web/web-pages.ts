// The web pages: the console at `/` and the API reference at `/docs`. Their content security policies allow files and
// requests only from and to this service.

import { PetstoreError } from '../../domain/petstore-error.ts'
import { Route } from '../route.ts'
import { type Bundle, bundleConsole, bundleReference } from './bundle.ts'
import { lazy } from './static-file.ts'

const CONSOLE_POLICY = policy({
  // The browser does not turn strings into markup or script.
  'require-trusted-types-for': "'script'",
  // The page has one policy, for the address of the worker that reads workbooks.
  'trusted-types': 'petstore-worker',
})

/** The library of the reference creates style elements and embeds images and fonts as data URLs. */
const REFERENCE_POLICY = policy({
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
})

export function pages(): Route[] {
  return [
    ...page('/', '/console/', CONSOLE_POLICY, bundleConsole),
    shortcut('/animals/{petId}', 'animal', 'petId'),
    shortcut('/orders/{orderId}', 'order', 'orderId'),
    ...page('/docs', '/docs/', REFERENCE_POLICY, bundleReference),
  ]
}

function page(path: string, filesPath: string, policy: string, build: () => Promise<Bundle>): Route[] {
  const bundle = lazy(build)
  const headers = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
  return [
    new Route(path, { GET: async ({ request }) => (await bundle()).page.answer(request, headers) }),
    new Route(`${filesPath}{file}`, {
      GET: async ({ request }) => {
        const file = (await bundle()).files.get(request.params.file ?? '')
        if (!file) throw new PetstoreError('not_found', 'Nothing exists at this path.')
        return file.answer(request, headers)
      },
    }),
  ]
}

/** Longer than an id, so that the page explains an invalid one, and far below the limits of proxies for headers. */
const SHORTCUT_ID_MAX = 100

/** Redirects an address that people can guess. The page has only one address, so that relative links in it work. */
function shortcut(path: string, name: string, parameter: string): Route {
  return new Route(path, {
    GET({ request }) {
      const id = request.params[parameter]?.slice(0, SHORTCUT_ID_MAX).toWellFormed() ?? ''
      return { status: 302, body: null, headers: { Location: `../?${name}=${encodeURIComponent(id)}` } }
    },
  })
}

function policy(directives: Record<string, string>): string {
  const defaults = {
    'default-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
  }
  return Object.entries({ ...defaults, ...directives })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
