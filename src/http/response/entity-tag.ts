// Entity tags, and whether a condition of a request names one (RFC 9110, 8.8.3, 13.1.1 and 13.1.2).

/** A strong tag of 132 bits. When a list grows, its last page keeps its body but gets a link, so the link is part of the tag. */
export function entityTag(body: string, link?: string): string {
  return `"${Bun.SHA256.hash(body, 'base64url').slice(0, 22)}${link === undefined ? '' : '+'}"`
}

/** `If-None-Match`: `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(tag)
}

/** `If-Match`: `*` or a list of tags, compared strongly, so that a weak one matches nothing. */
export function matchesStrongly(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true
  const tags: string[] = ifMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(tag)
}
