// Entity tags, and whether a client has the answer that one names (RFC 9110, 8.8.3 and 13.1.2).

/** A strong tag of 132 bits. When a list grows, its last page keeps its body but gets a link, so the link is part of the tag. */
export function entityTag(body: string, link: string | undefined): string {
  return `"${Bun.SHA256.hash(body, 'base64url').slice(0, 22)}${link === undefined ? '' : '+'}"`
}

/** `*` or a list of tags, compared weakly. */
export function matches(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
  return tags.includes(tag)
}
