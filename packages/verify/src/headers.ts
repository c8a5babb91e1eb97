// Header lines of a message, as sent, and the links in them.

export type Header = readonly [name: string, value: string]

const LINK = /<([^<>]*)>\s*;\s*rel="?([\w-]+)"?/g

export const isNamed = ([name]: Header, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase()

/** Returns the value of the first header with this name, in any case. */
export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find((header) => isNamed(header, name))?.[1]
}

/** Returns the values of all headers with this name, joined (RFC 9110, 5.3). */
export function joinedHeader(headers: readonly Header[], name: string): string | undefined {
  const values = headers.filter((header) => isNamed(header, name)).map(([, value]) => value)
  return values.length > 0 ? values.join(', ') : undefined
}

/** Sets the header, or removes it if `value` is `undefined`. */
export function withHeader(headers: readonly Header[], name: string, value: string | undefined): readonly Header[] {
  const others = headers.filter((header) => !isNamed(header, name))
  return value === undefined ? others : [...others, [name, value]]
}

/** Returns the target of a link (RFC 8288). */
export function linkIn(headers: readonly Header[], relation: string): string | undefined {
  return (joinedHeader(headers, 'Link') ?? '').matchAll(LINK).find(([, , rel]) => rel === relation)?.[1]
}
