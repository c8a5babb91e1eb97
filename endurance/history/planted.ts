// Known faults, planted between the service and its clients or as edits in a copy of the source tree. They prove that the checker can find
// such faults.

import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContractFault } from '../../packages/practice/src/contract-faults/shared/faults.ts'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import { CODE, type Edit } from './planted/code.ts'
import { DIFFERENT, SEEN_LATE } from './planted/wrong-answers.ts'
import { LATE, NOT_DONE, REFUSED, TWICE } from './planted/wrong-changes.ts'
import { BORDERS, KEPT, ORDER, TIMES } from './planted/wrong-pages.ts'
import { FAILOVER, type Kind } from './sites.ts'

export interface Planted {
  readonly group: string
  readonly name: string
  readonly stores: readonly Kind[]
  readonly fault?: ContractFault
  readonly edits?: readonly Edit[]
  /** Failures without which the fault does not show. */
  readonly breaks?: readonly string[]
  /** `false` if commits do not wait for the standby. */
  readonly isSynchronous?: false
}

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

export const PLANTED: readonly Planted[] = [
  ...Object.entries(BETWEEN).flatMap(([group, faults]) =>
    Object.entries(faults).map(([name, fault]): Planted => ({ group, name, fault, stores: ['sqlite', 'postgres'] })),
  ),
  {
    group: 'done, and lost',
    name: 'commits that do not wait for the standby',
    stores: ['postgres'],
    breaks: [FAILOVER],
    isSynchronous: false,
  },
  ...CODE.map((planted): Planted => ({ group: 'in the code', ...planted })),
]

export const GROUPS: readonly string[] = [...new Set(PLANTED.map(({ group }) => group))]

/** Copies the source tree with the edits and returns its folder. Throws if an edit's text does not occur exactly once in its file. */
export function plant(edits: readonly Edit[]): string {
  const folder = mkdtempSync(temporaryFile('planted-'))
  for (const part of ['bin', 'docs', 'openapi.yaml', 'package.json', 'packages', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const edit of edits) {
    const path = join(folder, edit[0])
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit))
  }
  return folder
}

/** Applies the edit to the text of its file. Throws if the edit's text does not occur exactly once. */
export function edited(text: string, [file, from, to]: Edit): string {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`${file} must have this exactly once: ${from}`)
  return `${before}${to}${after}`
}
