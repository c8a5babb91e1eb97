// Entity tags, and the conditions that a request states about them (RFC 9110, 8.8.3 and 13).

import { PetstoreError } from '../../domain/petstore-error.ts'

/** A strong tag of 132 bits. When a list grows, its last page keeps its body but gets a link, so the links are part of the tag. */
export function entityTag(body: string, links = ''): string {
  return `"${Bun.SHA256.hash(body + links, 'base64url').slice(0, 22)}"`
}

type Condition = string | null | undefined

/** Whether `If-None-Match` is `*` or names the tag, compared weakly. */
export function matches(ifNoneMatch: Condition, tag: string): boolean {
  return names(ifNoneMatch, tag, WEAKLY)
}

/**
 * The error for a false `If-Match`, which is compared strongly, or for a false `If-None-Match` of a request that is not a GET. To be called
 * only where the request would succeed without them (RFC 9110, 13.2).
 */
export function failedPrecondition(
  tag: string,
  ifMatch: Condition,
  ifNoneMatch?: Condition,
): PetstoreError | undefined {
  if (typeof ifMatch === 'string' && !names(ifMatch, tag, STRONGLY))
    return failed('If-Match does not name the current entity tag.')
  return matches(ifNoneMatch, tag) ? failed('If-None-Match names the current entity tag.') : undefined
}

/**
 * What a change requires of the entity tag of the resource as the store finds it, written as JSON. `undefined` without conditions. What is so
 * already was carried out, whatever `If-Match` says: its sender may not have got the answer (RFC 9110, 13.1.1). `If-None-Match` has no such rule.
 */
export function checkOf<Resource>(
  { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch }: { 'If-Match'?: string; 'If-None-Match'?: string },
  json: (resource: Resource) => string,
): ((resource: Resource, isSo?: boolean) => PetstoreError | undefined) | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined
  return (resource, isSo) => failedPrecondition(entityTag(json(resource)), isSo ? undefined : ifMatch, ifNoneMatch)
}

/** The tags of a list, compared weakly: without the mark of the weak ones. */
const WEAKLY = /"[\x21\x23-\x7e\x80-\xff]*"/g
const STRONGLY = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

function names(condition: Condition, tag: string, compared: RegExp): boolean {
  if (typeof condition !== 'string') return false
  if (condition.trim() === '*') return true
  const tags: string[] = condition.match(compared) ?? []
  return tags.includes(tag)
}

function failed(message: string): PetstoreError {
  return new PetstoreError('precondition_failed', message)
}
