// The service under the filter of system calls of deploy/petstore.service, and where the system refuses more than that: what is asked
// as a favour may be refused, and the work goes on without it.

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
  ])('%s, the service answers and takes backups', async (_, refused, warnings) => {
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
    // Once, whatever the number of backups.
    const warned = service.stderr().matchAll(/"level":"warn".*"msg":"([^"]*)"/g)
    expect([...warned].map(([, message]) => message)).toEqual(warnings)
  })

  test('a backup by hand goes on at the usual priority, and says so', async () => {
    const { database } = await made(1)
    const to = temporaryFile('backup.db')
    const command = [...underUnitFilter(['setpriority']), launcher]
    const { status, stdout, stderr } = await run(['backup', to, '--database', database], { command })
    expect([status, stderr]).toEqual([
      0,
      'The system refuses a lower priority (operation not permitted). The work goes on at the usual one.\n',
    ])
    expect(stdout).toStartWith('Backed up 1 pet')
  })
})

/** Put it before a command: the command's process has the same id. The calls in `refused` fail with EPERM, too. */
function underUnitFilter(refused: readonly string[] = []): string[] {
  const allowed = allowedCalls().difference(new Set(refused))
  // `?`: strace may know fewer calls than systemd.
  const others = `!${[...allowed].map((call) => `?${call}`).join()}`
  // -D: strace is not the parent. --seccomp-bpf: calls that are allowed do not stop the process.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', others, '-e', `inject=${others}:error=EPERM`]
}

/** As systemd.exec(5) reads SystemCallFilter=: the first line makes a list of allowed calls, `~` takes calls out again. */
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

/** By name, such as `@resources`. A set may name others. */
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
