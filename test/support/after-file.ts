// Loaded before each test file (bunfig.toml). After the file, stops its servers, removes its temporary files, and
// records its processor time for the summary of `npm test`.

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
