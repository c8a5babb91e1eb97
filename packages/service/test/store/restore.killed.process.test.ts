// Restores that are killed, fail, or run while a service starts. strace delays the system calls of the command, makes
// them fail, or kills it.

import { describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { ask, run, serve } from '../../../../test/support/process.ts'
import { beside, made, PET, rows } from '../../../../test/support/stores.ts'
import { noStrace, straced } from '../../../../test/support/strace.ts'
import { until } from '../../../../test/support/until.ts'
import { keptIn, killed, served } from './restored.ts'

const MOVES = '?rename,?renameat,?renameat2,?link,?linkat'

/** Starts a service, like a supervisor that retries. */
async function started(database: string) {
  for (;;) {
    try {
      return await serve(['--database', database])
    } catch (error) {
      expect(String(error)).toContain('is locked by another process')
    }
  }
}

describe.concurrent('a restore', () => {
  for (const [description, place] of [
    ['a store', () => made(1)],
    ['nothing', async () => ({ database: temporaryFile('petstore.db'), key: undefined })],
  ] satisfies [string, () => Promise<{ database: string; key: string | undefined }>][]) {
    test.skipIf(noStrace !== '')(
      `in place of ${description} while a service starts: the service opens the backup, or the restore is refused${noStrace}`,
      async () => {
        const [{ database, key }, backup] = [await place(), await made(5)]
        const known = readdirSync(dirname(database))
        const restoring = run(['restore', backup.database, '--database', database], {
          command: straced(['-e', `trace=${MOVES}`, '-e', `inject=${MOVES}:delay_enter=1500ms`]),
        })
        const begun = () => readdirSync(dirname(database)).some((n) => !known.includes(n) && !n.includes('.partial'))
        await until('the restore has begun', () => begun(), { everyMs: 1 })
        const service = await started(database)
        const create = async () => {
          const keys = [service.key, key, backup.key].filter((one) => one !== undefined)
          const answers = await Promise.all(keys.map((one) => ask('POST', `${service.url}/pets`, one, PET)))
          expect(answers.map(({ status }) => status)).toContain(201)
        }
        await create()
        const { status } = await restoring
        await create()
        await service.stop()
        expect(rows(database)[0]?.length).toBe((status === 0 ? 5 : known.length) + 2)
      },
    )
  }

  for (const [description, pets] of [
    ['a store with a log', 20],
    ['nothing', 0],
  ] satisfies [string, number][]) {
    test.skipIf(noStrace !== '')(
      `in place of ${description} that is killed at any step leaves only the old or the new store to serve${noStrace}`,
      async () => {
        const backup = (await made(5)).database
        const before = pets ? (await killed(pets)).database : undefined
        const faults: string[] = []
        let steps = 0
        for (const call of ['?rename,?renameat', '?renameat2', '?link,?linkat', '?unlink,?unlinkat']) {
          for (let step = 1, status = 137; status !== 0; step++, steps++) {
            const database = temporaryFile('petstore.db')
            if (before) for (const suffix of ['', '-wal']) copyFileSync(before + suffix, database + suffix)
            const kill = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${step}`]
            status = (await run(['restore', backup, '--database', database], { command: straced(kill) })).status
            const others = beside(database).filter((name) => !/-(wal|shm|journal)$/.test(name))
            const there = await served(database)
            if (there !== 5 && (there !== pets || status === 0)) faults.push(`${call} ${step}: ${there}`)
            for (const name of others) {
              const other = await served(join(dirname(database), name))
              // A completed restore keeps the old store.
              const isKept = /before-\d+T\d+Z$/.test(name) && there === 5
              if (isKept ? other !== pets : !String(other).includes('unfinished')) {
                faults.push(`${call} ${step}: ${name}: ${other}`)
              }
            }
          }
        }
        expect(faults).toEqual([])
        expect(steps).toBeGreaterThan(10)
      },
    )
  }

  test.skipIf(noStrace !== '')(
    `a restore that cannot sync leaves the old store in place, or says that the new one is in place${noStrace}`,
    async () => {
      const backup = (await made(5)).database
      const outcomes: unknown[] = []
      for (let step = 1, status = 1; status !== 0; step++) {
        const [{ database }, log] = [await made(3), temporaryFile('calls')]
        const fail = ['-y', '-e', 'trace=fsync', '-e', `inject=fsync:error=EIO:when=${step}`]
        const command = straced(['-o', log, ...fail])
        const restored = await run(['restore', backup, '--database', database], { command })
        status = restored.status
        const [, failed = 'nothing'] = /fsync\(\d+<(.*)>.*\(INJECTED\)/.exec(readFileSync(log, 'utf8')) ?? []
        const kept = keptIn(restored.stdout)
        expect(beside(database)).toEqual(kept.map((path) => basename(path)))
        const what = /partial$/.exec(failed)?.[0] ?? failed.replace(dirname(database), 'folder')
        outcomes.push([what, status, await served(database), await Promise.all(kept.map(served)), restored.stderr])
        if (status === 0 || kept.length > 0) expect(restored.stdout).toMatch(/^1 +test +full +active/m)
        else expect(restored.stdout).toBe('')
      }
      const refused = [1, 3, [], expect.stringMatching(/could not be written: i\/o error\.\n$/)]
      const inPlace =
        'The store was restored, but may not survive a power failure: its folder could not be synced (i/o error).'
      expect(outcomes).toEqual([
        ['partial', ...refused],
        ['folder', ...refused],
        ['folder', 1, 5, [3], `petstore: ${inPlace}\n`],
        ['nothing', 0, 5, [3], ''],
      ])
    },
  )

  test.skipIf(noStrace !== '')(
    `a restore works without atomic exchange of two names, and neither is served if it is killed there${noStrace}`,
    async () => {
      const [{ database }, backup] = [await made(3), await made(5)]
      const moves = ['-e', 'trace=?rename,?renameat,?renameat2', '-e', 'inject=?renameat2:error=EINVAL']
      const faults = (...more: string[]) => ({ command: straced([...moves, ...more]) })
      const { stdout } = await run(['restore', backup.database, '--database', database], faults())
      expect([await served(database), await served(keptIn(stdout)[0] as string)]).toEqual([5, 3])
      const kill = ['-e', 'inject=?rename,?renameat:signal=SIGKILL']
      expect((await run(['restore', backup.database, '--database', database], faults(...kill))).status).toBe(137)
      const names = beside(database).map((name) => join(dirname(database), name))
      const twoNames = [database, ...names].filter((name) => statSync(name).nlink > 1)
      expect(twoNames.length).toBe(2)
      for (const name of twoNames) expect(await served(name)).toContain('has 2 names')
    },
  )
})
