// Parsers of settings. Each throws an Error whose message completes a sentence about the setting: "must be …".

import { keyEnvironment } from '../domain/keys.ts'
import { nameFault } from '../domain/names.ts'
import { joined, networks } from '../observability/client-address.ts'
import { kindOf, pathFault } from '../store/kinds.ts'

export function path(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  const fault = pathFault(text)
  if (fault !== undefined) throw new Error(fault)
  return text
}

export function storeName(text: string): string {
  const name = text.trim()
  const fault = nameFault(name)
  if (fault !== undefined) throw new Error(fault)
  return name
}

/** Removes the brackets of an IPv6 address. */
export function host(text: string): string {
  const name = /^\[(.*:.*)\]$/.exec(text)?.[1] ?? text
  const url = URL.parse(`http://${joined(name, 1)}`)
  if (url?.port === '1' && !/\s/.test(name)) return name
  throw new Error('must be the name or the IP address of a host, such as 127.0.0.1 or ::1')
}

export function port(text: string): number {
  if (/^tcp:\/\//.test(text)) {
    throw new Error(
      'must be a number, but Kubernetes has set an address because a Service has the name petstore: ' +
        "set enableServiceLinks: false in the pod's spec",
    )
  }
  return numberFrom(0, 65535)(text)
}

/** A whole number in decimal digits. */
export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^[0-9]+$/.test(text) && number >= min && number <= max) return number
    throw new Error(`must be a number from ${min} to ${max}`)
  }
}

export const count = numberFrom(1, 999_999)

/** Accepts http and https addresses without a user name or password. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined
}

export function databaseAddress(text: string): string {
  kindOf(text).check(text)
  return text
}

export function baseUrl(text: string): string {
  const url = httpUrl(text)
  if (!url || url.search || url.hash || !url.pathname.endsWith('/v1')) {
    throw new Error('must be an http or https address without a password that ends in /v1')
  }
  // A link that starts with // would lead to another host (RFC 3986, 4.2).
  if (url.pathname.includes('//')) throw new Error('must not have // in its path')
  return url.href
}

/** Adds /v1 if it is missing. */
export function serviceUrl(text: string): string {
  const url = httpUrl(text)
  if (!url || url.search || url.hash) throw new Error('must be an http or https address, such as http://127.0.0.1:8080')
  const address = url.href.replace(/\/+$/, '')
  return address.endsWith('/v1') ? address : `${address}/v1`
}

export class NotApiKey extends Error {}

export function apiKey(text: string): string {
  if (keyEnvironment(text)) return text
  throw new NotApiKey('is mistyped or not an API key: keys are pets_live_ or pets_test_ and 28 letters and digits')
}

/** Accepts every key that fits into a header (RFC 6750, 2.1, and other characters except spaces). */
export function bearerToken(text: string): string {
  if (/^[!-~]+$/.test(text)) return text
  throw new Error('must be printable ASCII characters without spaces')
}

export function proxies(text: string): readonly string[] {
  const all = listed(text)
  try {
    networks(all)
  } catch {
    throw new Error('must be addresses or networks separated by commas, such as 192.0.2.7, 10.0.0.0/8 or fd00::/8')
  }
  return all
}

function listed(text: string): string[] {
  return text.split(',').flatMap((one) => one.trim() || [])
}

export function origins(text: string): readonly string[] {
  const all = listed(text)
  const wrong = all.find((origin) => origin !== '*' && URL.parse(origin)?.origin !== origin)
  if (wrong !== undefined) throw new Error('must be origins separated by commas, such as https://shop.example, or *')
  return all
}

const PERIOD_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 }

export function rate(text: string): { requests: number; periodSeconds: number } {
  const [, requests = '', unit = ''] = /^([1-9][0-9]{0,8})\/([smh])$/.exec(text) ?? []
  const periodSeconds = PERIOD_SECONDS[unit]
  if (!periodSeconds) {
    throw new Error('must be a number of requests per second, minute or hour, such as 100/s, 6000/m or 100000/h')
  }
  return { requests: Number(requests), periodSeconds }
}

export function yesOrNo(text: string): boolean {
  return oneOf('yes', 'no')(text) === 'yes'
}

export function oneOf<Value extends string>(...values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value === undefined) throw new Error(`must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`)
    return value
  }
}

/** As `parseDuration`, but not 0. */
export function parsePeriod(text: string): number {
  const ms = parseDuration(text)
  if (ms > 0) return ms
  throw new Error('must be at least 1s')
}

const UNIT_MS: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 604800e3 }
const MAX_MS = 100 * 365 * 86400e3

/** Returns milliseconds for a text such as 90d, 24h, 15m or 30s. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([0-9]{1,9})([smhdw])$/.exec(text) ?? []
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (!(ms >= 0 && ms <= MAX_MS)) {
    throw new Error('must be a number and a unit, such as 30s, 15m, 24h, 90d or 4w, of at most 100 years')
  }
  return ms
}
