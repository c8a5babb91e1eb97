// The log as a process writes it: what becomes of it when nobody reads.

import { expect, test } from 'bun:test'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { root } from '../../../../test/support/process.ts'

const LINES = 200_000
/** The lines are more than 200 MB; the runtime itself takes some 100. */
const RESIDENT_MAX_MB = 250

/** Logs all lines, says how much memory it has then, and ends once what it kept has been read. */
const LOGGING = `
  import { createLog } from ${JSON.stringify(join(root, 'packages/service/src/observability/log.ts'))}
  const log = createLog('info')
  for (let n = 0; n < ${LINES}; n++) {
    log.info({ n }, '${'x'.repeat(1_000)}')
    if (n % 1000 === 0) await new Promise(setImmediate)
  }
  process.stdout.write(process.memoryUsage().rss / 1e6 + '\\n')
  await log.flush()`

test('limits the memory for a reader that does not read, counts lost lines, and continues with whole lines', async () => {
  const path = temporaryFile('stderr')
  Bun.spawnSync(['mkfifo', path])
  const held = openSync(path, constants.O_RDWR)
  const child = Bun.spawn(['sh', '-c', `exec "$0" -e "$LOGGING" 2>'${path}'`, process.execPath], {
    env: { ...process.env, LOGGING },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = child.stdout.getReader()
  const resident = Number(new TextDecoder().decode((await said.read()).value))
  expect(resident).toBeGreaterThan(0)
  expect(resident).toBeLessThan(RESIDENT_MAX_MB)

  const reader = Bun.spawn(['cat', path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const reading = new Response(reader.stdout).text()
  expect(await child.exited).toBe(0)
  closeSync(held)
  const lines = (await reading).trim().split('\n')
  const logged = lines.map((line) => JSON.parse(line) as { n?: number; lost?: number })
  const lost = logged.reduce((sum, line) => sum + (line.lost ?? 0), 0)
  expect(lost).toBeGreaterThan(0)
  expect(logged.filter(({ n }) => n !== undefined).length + lost).toBe(LINES)
})
