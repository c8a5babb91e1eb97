// The service under the system call filter of deploy/petstore.service, and with further calls rejected that are
// optional. Without systemd, systemd-analyze lists the rejected calls, and strace rejects them.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from './support/files.ts'
import { ask, launcher, root, run, serve } from './support/process.ts'
import { made, rows } from './support/stores.ts'
import { until } from './support/until.ts'

const TOOLS = ['systemd-analyze', 'strace']
const missingToFilter = process.platform === 'linux' ? TOOLS.filter((tool) => Bun.which(tool) === null) : TOOLS
const skipped = missingToFilter.length > 0 ? `: skipped, ${missingToFilter.join(', ')} missing` : ''

describe.skipIf(skipped !== '')(`under the unit's filter of system calls${skipped}`, () => {
  test.concurrent.each([
    ['as it is', [], []],
    ['and without priorities', ['setpriority'], ['backup warning']],
    [
      'and without options of sockets',
      ['getsockopt'],
      [
        'socket option refused: clients that do not read take more memory of the system',
        'socket option refused: connections may be reset now',
      ],
    ],
  ])('%s, the service responds and takes backups', async (_, refused, warnings) => {
    const { database, key } = await made(1)
    const folder = dirname(temporaryFile('x'))
    const env = { PETSTORE_BACKUP_DIR: folder, PETSTORE_BACKUP_EVERY: '1s' }
    const command = [...underUnitFilter(refused), launcher]
    const service = await serve(['--database', database], { env, command })
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(200)
    await until('two backups are made', () => {
      expect(service.stderr()).not.toContain('backup failed')
      return service.stderr().split('"msg":"backup"').length >= 3
    })
    expect(await service.stop()).toBe(0)
    for (const name of readdirSync(folder)) expect(rows(join(folder, name))[0]?.length).toBe(1)
    // Each warning is logged once.
    const warned = service.stderr().matchAll(/"level":"warn".*"msg":"([^"]*)"/g)
    expect([...warned].map(([, message]) => message)).toEqual(warnings)
  })

  test('a manual backup continues at normal priority, with a warning', async () => {
    const { database } = await made(1)
    const to = temporaryFile('backup.db')
    const command = [...underUnitFilter(['setpriority']), launcher]
    const { status, stdout, stderr } = await run(['backup', to, '--database', database], { command })
    expect([status, stderr]).toEqual([
      0,
      'The system refuses a lower priority (operation not permitted). The command continues at normal priority.\n',
    ])
    expect(stdout).toStartWith('Backed up 1 pet')
  })
})

/** Returns a prefix for a command, whose process keeps its id. The calls in `refused` also fail with EPERM. */
function underUnitFilter(refused: readonly string[] = []): string[] {
  const allowed = allowedCalls().difference(new Set(refused))
  // `?`: strace can know fewer calls than systemd.
  const others = `!${[...allowed].map((call) => `?${call}`).join()}`
  // -D: strace is not the parent. --seccomp-bpf: allowed calls do not stop the process.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', others, '-e', `inject=${others}:error=EPERM`]
}

/** Interprets SystemCallFilter= as in systemd.exec(5): the first line lists allowed calls, and `~` removes calls. */
function allowedCalls(): Set<string> {
  const sets = callSets()
  const callsOf = (name: string): string[] => (name.startsWith('@') ? (sets[name] ?? []).flatMap(callsOf) : [name])
  const allowed = new Set(callsOf('@default'))
  const unit = readFileSync(join(root, 'deploy/petstore.service'), 'utf8')
  for (const [, out, names = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of names.split(' ').flatMap(callsOf)) {
      if (out) allowed.delete(call)
      else allowed.add(call)
    }
  }
  return allowed
}

/** The sets of calls by name, such as `@resources`. A set can include others. */
function callSets(): Record<string, string[]> {
  const { stdout } = Bun.spawnSync(['systemd-analyze', 'syscall-filter', '--no-pager'])
  const blocks = stdout.toString().split(/\n(?=@)/)
  return Object.fromEntries(
    blocks.map((block) => {
      const [name = '', ...lines] = block.split('\n').map((line) => line.trim())
      return [name, lines.filter((line) => /^@?\w[\w-]*$/.test(line))]
    }),
  )
}
