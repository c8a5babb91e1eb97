// When a test file has ended: its servers and temporary files go, and what processor time it took is noted in the folder of the suite, for
// the end of `npm test`. A suite that waits gets faster with more files at a time, one that computes does not. Loaded before
// each file (bunfig.toml).

import { afterAll } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { endFile } from './files.ts'
import { processorSeconds } from './processor-seconds.ts'

const { SUITE_FOLDER } = process.env
const [before, startedAt] = [processorSeconds(), performance.now()]

afterAll(async () => {
  await endFile()
  if (!SUITE_FOLDER) return
  const seconds = (performance.now() - startedAt) / 1000
  const line = [Bun.main.slice(process.cwd().length + 1), seconds, processorSeconds() - before].join('\t')
  appendFileSync(join(SUITE_FOLDER, 'processor-times'), `${line}\n`)
})
