// The names that a release has shown to programs: commands and their flags, variables, metrics, the log's lines and fields, promises, what
// the client exports. A later one may add to them, and takes none away within a major version (docs/compatibility.md). The test of each says
// what there is now.

import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Kind = 'commands' | 'exit statuses' | 'settings' | 'metrics' | 'log' | 'promises' | 'client'

const FILE = join(import.meta.dir, '../released-names.json')

/** Those of the last release. */
export function released(kind: Kind): readonly string[] {
  return (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Record<Kind, string[]>>)[kind] ?? []
}

/** Fails where a released name is not among those of `now`. With `RELEASE=1` in the environment these become the released ones. */
export function expectReleased(kind: Kind, now: Iterable<string>): void {
  const released: Partial<Record<Kind, string[]>> = JSON.parse(readFileSync(FILE, 'utf8'))
  const names = new Set(now)
  if (process.env.RELEASE) {
    released[kind] = [...names].sort()
    const lines = Object.entries(released).map(([kind, names]) => `  "${kind}": ${JSON.stringify(names)}`)
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
  }
  expect([kind, released[kind]?.filter((name) => !names.has(name))]).toEqual([kind, []])
}
