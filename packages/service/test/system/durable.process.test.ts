// Every file that gets its name by a rename or a link is synced before. Otherwise, after a power failure, the name can
// belong to an empty file.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { run } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { beside, made } from '../../../../test/support/stores.ts'
import { noStrace, straced } from '../../../../test/support/strace.ts'
import { SECRET, startHook } from '../../../../test/support/webhook.ts'

/** Resolves with the arguments of a command that writes `file`. */
type Writer = (file: string) => Promise<readonly string[]>

const service = await startService({ now: Date.now })
for (let n = 0; n < 2; n++) await service.post(petBody())

const restoreTo = async (database: string) => ['restore', (await made(1)).database, '--database', database]
const WITH_FOLDER = ['file written', 'file synced', 'named', 'folder synced']
/** The names that the previous store keeps are durable before that. */
const RESTORED = ['file written', 'file synced', 'folder synced', 'named', 'folder synced']
const NO_LINKS = ['-e', 'inject=?link,linkat:error=EPERM']
const backUp: Writer = async (file) => ['backup', file, '--database', (await made(1)).database]
const writers: readonly [string, Writer, readonly string[], flags?: readonly string[]][] = [
  ['a backup', backUp, WITH_FOLDER],
  ['a backup on a file system without hard links', backUp, WITH_FOLDER, NO_LINKS],
  ['a restored store', restoreTo, RESTORED],
  [
    'a restored store that replaces another',
    async (file) => {
      writeFileSync(file, readFileSync((await made(2)).database))
      return restoreTo(file)
    },
    RESTORED,
  ],
  [
    'the state of events forward',
    async (file) => {
      // The second answer ends the command.
      const { url } = await startHook((_, n) => new Response(null, { status: n === 0 ? 204 : 410 }))
      const secret = temporaryFile('secret')
      writeFileSync(secret, SECRET)
      return ['events', 'forward', '--to', url, '--secret-file', secret, '--state', file]
    },
    WITH_FOLDER,
  ],
  ['an export', async (file) => ['pets', 'export', '--format', 'csv', file], WITH_FOLDER.slice(0, 3)],
]

test.skipIf(noStrace !== '').each([...writers])(
  `%s is durable before it gets its name${noStrace}`,
  async (_, writer, steps, flags = []) => {
    const [file, log] = [temporaryFile('file.db'), temporaryFile('calls')]
    const args = await writer(file)
    // One file per thread, so that threads do not cut each other's lines.
    const calls = 'trace=write,pwrite64,fsync,?link,linkat,?rename,?renameat,?renameat2'
    await run([...args], { env: service.env, command: straced(['-ff', '-y', '-o', log, '-e', calls, ...flags]) })
    const traced = beside(log).map((name) => readFileSync(join(dirname(log), name), 'utf8').split('\n'))
    const isNaming = (line: string) =>
      /^(?:link|rename)/.test(line) && line.includes(`"${file}"`) && !line.includes('INJECTED')
    const done = traced.find((lines) => lines.some(isNaming)) ?? []
    const [, unfinished] = /"(.+?)"/.exec(done.find(isNaming) ?? '') ?? []
    const stepOf = (line: string): string[] => {
      const [, call, path] = /^(\w+)\(\d+<(.*?)>/.exec(line) ?? []
      if (isNaming(line)) return ['named']
      if (path === unfinished) return [call === 'fsync' ? 'file synced' : 'file written']
      return call === 'fsync' && path === dirname(file) ? ['folder synced'] : []
    }
    const all = done.flatMap(stepOf)
    const end = all.indexOf('named') + 2
    expect(all.slice(all.lastIndexOf('file written', end), end)).toEqual([...steps])
  },
)
