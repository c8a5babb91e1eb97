// The names that releases have made public: commands and flags, variables, metrics, log lines and fields, promises,
// lessons, headers of web hooks, and exports of both packages. Later releases can add names, but remove none within a
// major version (docs/compatibility.md).

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

/** Fails if `now` lacks a released name. With `RELEASE=1` in the environment, first adds the new names. */
export function expectReleased(kind: Kind, now: Iterable<string>): void {
  const released = releasedNames()
  const names = new Set(now)
  if (process.env.RELEASE) {
    released[kind] = [...names.union(new Set(released[kind]))].sort()
    const lines = Object.entries(released).map(([kind, names]) => `  "${kind}": ${JSON.stringify(names)}`)
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
  }
  expect([kind, released[kind].filter((name) => !names.has(name))]).toEqual([kind, []])
}
