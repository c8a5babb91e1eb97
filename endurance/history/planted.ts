// Faults of the service, each planted between it and its clients, or by a few edits into a copy of the source tree. The checker has to find
// every one of them: that shows that it can fail.

import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import type { Making } from './planted/lie.ts'
import { SEEN_LATE } from './planted/seen-late.ts'
import { DIFFERENT } from './planted/wrong-answers.ts'
import { LATE, NOT_DONE, TWICE } from './planted/wrong-changes.ts'
import { ORDER, TIMES } from './planted/wrong-events.ts'
import { BORDERS, KEPT } from './planted/wrong-pages.ts'
import { REFUSED } from './planted/wrong-refusals.ts'
import { FAILOVER, type Kind } from './sites.ts'

/** In a file, a text that is there once, and what stands in its place. */
type Edit = readonly [file: string, from: string, to: string]

export interface Planted {
  readonly group: string
  readonly name: string
  readonly stores: readonly Kind[]
  readonly lie?: Making
  readonly edits?: readonly Edit[]
  /** What else breaks, without which it does not show. */
  readonly breaks?: readonly string[]
  /** Otherwise commits wait for the standby. */
  readonly isSynchronous?: false
}

const CACHE = 'src/http/response/answer-cache.ts'
const CONDITIONS = 'src/http/response/conditions.ts'

const BETWEEN = {
  'answer and request differ': DIFFERENT,
  'done twice': TWICE,
  'not done': NOT_DONE,
  'done late': LATE,
  'order of events': ORDER,
  'a refusal without a reason': REFUSED,
  'wrong times': TIMES,
  'seen too late': SEEN_LATE,
  'lost at a border of pages': BORDERS,
  'kept after a deletion': KEPT,
}

const IN_CODE: readonly Omit<Planted, 'group' | 'stores'>[] = [
  {
    name: 'a cached list that is one commit old',
    edits: [
      [CACHE, 'return version === this.version ?', 'return version !== undefined && version - this.version <= 1 ?'],
    ],
  },
  {
    name: 'an answer cached under the next version',
    edits: [[CACHE, 'this.cache(url, answer, newest)', 'this.cache(url, answer, newest + 1)']],
  },
  {
    name: 'If-Match is ignored in the code',
    edits: [[CONDITIONS, 'if (ifMatch === undefined && ifNoneMatch === undefined)', 'if (true)']],
  },
]

export const PLANTED: readonly Planted[] = [
  ...Object.entries(BETWEEN).flatMap(([group, lies]) =>
    Object.entries(lies).map(([name, lie]): Planted => ({ group, name, lie, stores: ['sqlite', 'postgres'] })),
  ),
  // SQLite alone keeps answers.
  {
    group: 'done, and lost',
    name: 'commits that do not wait for the standby',
    stores: ['postgres'],
    breaks: [FAILOVER],
    isSynchronous: false,
  },
  ...IN_CODE.map((planted): Planted => ({ group: 'in the code', stores: ['sqlite'], ...planted })),
]

/** A copy of the source tree with the edits; the folder. Throws where a text is not there once. */
export function plant(edits: readonly Edit[]): string {
  const folder = mkdtempSync(temporaryFile('planted-'))
  for (const part of ['bin', 'docs', 'openapi.yaml', 'package.json', 'src', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, from, to] of edits) writeFileSync(join(folder, file), edited(file, from, to))
  return folder
}

export function edited(file: string, from: string, to: string): string {
  const [before, after, ...more] = readFileSync(join(root, file), 'utf8').split(from)
  if (after === undefined || more.length > 0) throw new Error(`${file} has not once: ${from}`)
  return `${before}${to}${after}`
}
