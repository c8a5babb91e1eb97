// Entity tags and conditional requests (RFC 9110, 8.8.3 and 13).

import { PetstoreError } from '../../domain/petstore-error.ts'

/**
 * Returns a strong tag of 132 bits. It includes the links, because the last page of a growing list gets a link while
 * its body stays the same.
 */
export function entityTag(body: string, links = ''): string {
  return `"${Bun.SHA256.hash(body + links, 'base64url').slice(0, 22)}"`
}

type Condition = string | null | undefined

/** The headers of a change. */
export interface Conditions {
  'If-Match'?: string
  'If-None-Match'?: string
}

/** Returns whether `If-None-Match` is `*` or contains the tag (weak comparison). */
export function matches(ifNoneMatch: Condition, tag: string): boolean {
  return names(ifNoneMatch, tag, WEAKLY)
}

/**
 * Returns the error for a failed `If-Match` (strong comparison), or a failed `If-None-Match` of a request that is not
 * a GET. Call it only if the request would succeed without them (RFC 9110, 13.2).
 */
export function failedPrecondition(tag: string, ifMatch: Condition, ifNoneMatch?: Condition) {
  if (typeof ifMatch === 'string' && !names(ifMatch, tag, STRONGLY))
    return failed('If-Match does not name the current entity tag.')
  return matches(ifNoneMatch, tag) ? failed('If-None-Match names the current entity tag.') : undefined
}

/**
 * Returns the check of a change's conditions against the resource that the store finds, or `undefined` without
 * conditions. If the change is already in effect, `If-Match` is ignored, because the client may be retrying after a
 * lost answer (RFC 9110, 13.1.1). `If-None-Match` has no such rule.
 */
export function preconditionOf<Resource>(
  { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch }: Conditions,
  json: (resource: Resource) => string,
): ((resource: Resource, alreadyInEffect?: boolean) => PetstoreError | undefined) | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined
  return (resource, alreadyInEffect) =>
    failedPrecondition(entityTag(json(resource)), alreadyInEffect ? undefined : ifMatch, ifNoneMatch)
}

/** Matches the tags of a list, without the marks of weak tags. */
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
