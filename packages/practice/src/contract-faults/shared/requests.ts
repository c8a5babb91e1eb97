// Tests of requests: their operation, parameters and headers.

import { basePath, type OperationId, operations } from '../../../../contract/src/contract.ts'
import { headerOf, linkIn, withHeader } from '../../../../verify/src/headers.ts'
import type { ClientRequest, ServiceResponse } from '../../proxy.ts'

export type When = (request: ClientRequest) => boolean

/**
 * `operations` are methods and paths below the base URL, separated by `|`, such as `GET /pets/*`. `*` matches any
 * method or one path segment; alone it matches every request.
 */
export function isOf({ method, target }: ClientRequest, operations: string): boolean {
  const segments = pathOf(target).split('/')
  return operations.split('|').some((operation) => {
    if (operation === '*') return true
    const [wantedMethod, wantedPath = ''] = operation.split(' ')
    const wanted = wantedPath.split('/')
    const isPath = wanted.length === segments.length && wanted.every((one, at) => one === '*' || one === segments[at])
    return isPath && (wantedMethod === '*' || wantedMethod === method)
  })
}

/** Returns the operation in the form that `isOf` expects. */
export function patternOf(id: OperationId): string {
  const { method = '', path = '' } = operations.find((one) => one.id === id) ?? {}
  return `${method} ${path.slice(basePath.length).replaceAll(/\{\w+\}/g, '*')}`
}

/** Returns the path below the base URL, without the query. */
export const pathOf = (target: string): string => target.replace(/\?.*$/, '').replace(/^.*?\/v1(?=\/|$)/, '')

export const parametersOf = ({ target }: Pick<ClientRequest, 'target'>): URLSearchParams =>
  new URLSearchParams(target.split('?')[1] ?? '')

/** Returns the parameters that select the items of a list, without its position and size. */
export function filterOf(parameters: URLSearchParams): string {
  const others = [...parameters].filter(([name]) => !['cursor', 'from', 'limit', 'wait'].includes(name))
  return others
    .map((one) => one.join('='))
    .sort()
    .join('&')
}

/** Returns the Authorization header. The case of its scheme and the number of spaces do not matter. */
export const authorizationOf = ({ headers }: Pick<ClientRequest, 'headers'>): string | undefined =>
  headerOf(headers, 'Authorization')?.replace(/^bearer +/i, 'Bearer ')

export const hasKey: When = ({ headers }) => headerOf(headers, 'Authorization') !== undefined
export const withoutKey: When = (request) => !hasKey(request)
export const hasCursor: When = (request) => parametersOf(request).has('cursor')
export const isFiltered: When = (request) => parametersOf(request).has('status')
export function hasParameter(name: string, value: string): When {
  return (request) => parametersOf(request).get(name) === value
}
export function hasHeader(name: string, value: RegExp): When {
  return ({ headers }) => value.test(headerOf(headers, name) ?? '')
}

/** Whether the request has the ETag of an earlier response, and not one that a check made up. */
export const hasTag = hasHeader('If-None-Match', /^"[^"]{6,}"$/)

export function withKey(request: ClientRequest, authorization: string | undefined): ClientRequest {
  return { ...request, headers: withHeader(request.headers, 'Authorization', authorization) }
}

export const hasNext = ({ headers }: ServiceResponse) => linkIn(headers, 'next') !== undefined
