// Commands ignore files in the current folder that Bun would run or read.

import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { launcher, root, run, serve } from '../../../test/support/process.ts'
import { made } from '../../../test/support/stores.ts'

/** Creates the file `was-run` if it runs. */
const MARKER = `require('node:fs').writeFileSync(require('node:path').join(__dirname, 'was-run'), '')`

const FILES = {
  'bunfig.toml': 'preload = ["./marker.cjs"]',
  // An unknown log level: a process that reads it does not start.
  '.env': 'PETSTORE_LOG_LEVEL=loud',
  '.env.local': 'PETSTORE_LOG_LEVEL=loud',
  'tsconfig.json': JSON.stringify({
    compilerOptions: { baseUrl: '.', paths: { '*': ['./marker.cjs'], '/*': ['./marker.cjs'] } },
  }),
  'package.json': '{"type":"commonjs","main":"marker.cjs","browser":{"commander":"./marker.cjs"}}',
  'node_modules/commander/index.js': `require('../../marker.cjs')`,
  'marker.cjs': MARKER,
}

describe('files in the current folder', () => {
  const cwd = dirname(temporaryFile('x'))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const wasRun = () => existsSync(join(cwd, 'was-run'))

  test('files in the current folder do not affect a command', async () => {
    const { status, stderr } = await run(['keys', 'generate'], { cwd })
    expect({ status, stderr, wasRun: wasRun() }).toEqual({ status: 0, stderr: '', wasRun: false })
  })

  test('files in the current folder do not affect the service, its pages, its workers and its backups', async () => {
    const folder = dirname(temporaryFile('x'))
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s' }
    const workers = process.platform === 'linux' ? ['--workers', '2'] : []
    const service = await serve([...workers, '--database', temporaryFile('petstore.db')], { cwd, env })
    await service.logs('"msg":"backup')
    expect(readdirSync(folder)).not.toEqual([])
    for (const path of ['/', '/docs']) expect((await fetch(new URL(path, service.url))).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(service.stderr()).not.toContain('backup failed')
    expect(wasRun()).toBe(false)
  })
})

const { database: store } = await made(0)

// The runtime of the executable checks the current folder before our code does, and prints its own message.
describe.skipIf(process.env.LAUNCHER !== undefined)('a current folder that has been removed', () => {
  // The runtime would create a relative path here.
  const runtimeFolder = join(root, 'node_modules/bun/bin/data')
  const inRemoved = (args: string[]) => {
    const removed = join(dirname(temporaryFile('x')), 'removed')
    mkdirSync(removed)
    const script = `cd '${removed}' && rmdir '${removed}' && exec '${launcher}' "$@"`
    return run(args, { command: ['sh', '-c', script, 'sh'] })
  }

  test.each([
    [['keys', 'create', '--name', 'till']],
    [['serve', '--port', '0']],
    [['backup', 'b.db', '--database', store]],
  ])('%p fails with a message, and writes nothing', async (args) => {
    const { status, stdout, stderr } = await inRemoved(args)
    expect(existsSync(runtimeFolder)).toBe(false)
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('the current folder was removed')])
  })

  test('an absolute path still works', async () => {
    const backup = temporaryFile('b.db')
    expect((await inRemoved(['backup', backup, '--database', store])).status).toBe(0)
    expect(existsSync(backup)).toBe(true)
  })
})
