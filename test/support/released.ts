// The names that releases have made public: commands and flags, variables, metrics, log lines and fields, promises,
// lessons, headers of web hooks, and exports of both packages. Only a major version can
// remove names, and the changelog lists them (docs/compatibility.md).

import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type names from '../released-names.json'

type Kind = keyof typeof names

const FILE = join(import.meta.dir, '../released-names.json')

/** The names in all releases. */
export function releasedNames(): Record<Kind, string[]> {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/**
 * Returns whether the changelog announces the removal of a name: under "Removed", the newest version has it in
 * backticks before a colon, alone or as the first words of the name, with or without `petstore`.
 */
export function isRemoved(name: string, changelog: string): boolean {
  const [, newest = ''] = changelog.split(/^## /m)
  const removed = newest.split(/^### /m).find((section) => section.startsWith('Removed\n')) ?? ''
  const subjects = removed.split(/^- /m).map((entry) => entry.split(': ')[0])
  const announced = [...subjects.join('\n').matchAll(/`(?:petstore )?([^`]+)`/g)].map(([, text]) => text as string)
  return announced.some((text) => name === text || name.startsWith(`${text} `))
}

/**
 * Fails if `now` lacks a released name whose removal the changelog does not announce. With `RELEASE=1` in the
 * environment, first adds the new names and drops the removed ones.
 */
export function expectReleased(kind: Kind, now: Iterable<string>): void {
  const released = releasedNames()
  const names = new Set(now)
  const changelog = readFileSync(join(FILE, '../../CHANGELOG.md'), 'utf8')
  released[kind] = released[kind].filter((name) => names.has(name) || !isRemoved(name, changelog))
  if (process.env.RELEASE) {
    released[kind] = [...names.union(new Set(released[kind]))].sort()
    const lines = Object.entries(released).map(([kind, names]) => `  "${kind}": ${JSON.stringify(names)}`)
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
  }
  expect([kind, released[kind].filter((name) => !names.has(name))]).toEqual([kind, []])
}
