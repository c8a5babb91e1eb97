// Prints a request as one POSIX shell line of curl, with variables for keys.

import type { Target } from './probe.ts'
import { type CheckRequest, KEYS } from './request.ts'

/** In a longer body, the shell writes the trailing spaces. */
const BODY_WRITTEN_MAX = 2_000
const SHOWN_MAX = 300
/** How many changes before the request are listed. */
const CHANGES_SHOWN_MAX = 4

/** How many characters checks replace at the end of a key, and at its start. */
export const ENDING = 8
export const BEGINNING = 5
/** A shorter key can equal an ordinary word, so it is only replaced in places that hold keys. */
export const KEY_SHOWN_MIN = 16
const swapped = (text: string) => text.replace(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))
/** Swaps upper and lower case after the start of the key. */
export const inOtherLetters = (key: string) => key.slice(0, BEGINNING) + swapped(key.slice(BEGINNING))
const BEFORE_A_KEY = '(?<=(?:[Bb][Ee][Aa][Rr][Ee][Rr]|Basic) +|(?:[Kk]ey|token|Authorization)(?:=|: ?))'

const AFTER_START = `#${'?'.repeat(BEGINNING)}`
const swapping = (variable: string) => `$(echo "${variable}" | tr a-zA-Z A-Za-z)`

/** Replaces each of the target's keys with its variable, even if the start or the end is missing. */
function withoutKeys(text: string, { keys }: Target): string {
  const forms = Object.entries(KEYS).flatMap(([name, variable]) => {
    const key = keys[name as keyof typeof KEYS]
    if (!key) return []
    const part = (expansion: string) => `\${${variable.slice(1)}${expansion}}`
    return [
      [key, part('')],
      [encodeURIComponent(key), part('')],
      [key.slice(0, -1), part('%?')],
      [key.slice(0, -ENDING), part(`%${'?'.repeat(ENDING)}`)],
      [key.slice(BEGINNING), part(AFTER_START)],
      [swapped(key.slice(BEGINNING)), swapping(part(AFTER_START))],
    ] as const
  })
  // Longest first, because one key can be a prefix of another.
  const byLength = forms.filter(([form]) => form !== '').sort(([one], [other]) => other.length - one.length)
  const replaced = byLength.reduce((shown, [form, variable]) => {
    const where = form.length < KEY_SHOWN_MIN ? BEFORE_A_KEY : ''
    return shown.replaceAll(new RegExp(where + RegExp.escape(form), 'g'), () => variable)
  }, text)
  return replaced.replaceAll(/\$\{([A-Z_]+)\}(?!\w)/g, (_, name) => `$${name}`)
}

/** Returns text from the server without keys, cut to a printable length. */
export function shown(text: string, target: Target): string {
  const safe = withoutKeys(text, target)
  return safe.length > SHOWN_MAX ? `${safe.slice(0, SHOWN_MAX)}…` : safe
}

/** The line ends with a comment that lists the changes that the check made before. */
export function curlOf(request: CheckRequest, target: Target): string {
  const { before } = request
  const others = before.length > CHANGES_SHOWN_MAX ? '…, ' : ''
  const changes = `${others}${before.slice(-CHANGES_SHOWN_MAX).join(', ')}`
  return curl(request, target, 'i') + (before.length > 0 ? ` # after ${withoutKeys(changes, target)}` : '')
}

function curl({ method, path, headers, body, first }: CheckRequest, target: Target, include: 'i' | ''): string {
  const quote = (text: string) => quoted(withoutKeys(text, target))
  const type = body && !headers.some(([name]) => name === 'Content-Type') ? ["-H 'Content-Type:'"] : []
  const before = first ? `${curl(first, target, '')} -o /dev/null --next` : 'curl'
  const words = [
    `${before} -sS${include} --path-as-is`,
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...type,
    quote(target.baseUrl.origin + target.baseUrl.pathname + path),
  ]
  if (!body) return words.join(' ')
  const text = new TextDecoder().decode(body)
  const plain = text.length < BODY_WRITTEN_MAX && !/[\p{Cc}\ufffd\ufeff]/u.test(text)
  return plain
    ? `${words.join(' ')} --data-binary ${quote(text)}`
    : `${printed(body)} | ${words.join(' ')} --data-binary @-`
}

function printed(body: Uint8Array): string {
  const text = Buffer.from(body).toString('latin1').replace(/ +$/, '')
  const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `printf '${text.replace(/[^\w{}[\]:,". -]/g, octal)}%${body.length - text.length}s'`
}

/** Returns one shell word in which only variables in capital letters are expanded. */
function quoted(text: string): string {
  const parts = text.split(/(\$\(echo "\$\{[A-Z_]+#\?*\}" \| tr \S+ \S+\)|\$[A-Z_]+|\$\{[A-Z_]+[%#]?\?*\})/)
  if (parts.length === 1) return single(text)
  if (!/["\\`!]/.test(text) && parts.every((part, n) => n % 2 === 1 || !part.includes('$'))) return `"${text}"`
  return parts.map((part, n) => (n % 2 === 1 ? `"${part}"` : part === '' ? '' : single(part))).join('')
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
