// The examples with Litestream, run unchanged in folders that represent machines. Nothing is lost in a graceful stop,
// and docs/backups.md explains how to recover from a crash.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { COPY_HAS_ALL } from '../packages/cli/src/commands/backup.ts'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import {
  installLitestream,
  Machine,
  noLitestream,
  podStep,
  type Step,
  sentSince,
  startS3,
  unitSteps,
} from './support/litestream.ts'
import { ask, type Running, root, run, serve } from './support/process.ts'
import { add } from './support/stores.ts'
import { until } from './support/until.ts'

const PETS = 40
const key = generateKey('production')

/** `folder`: Litestream's own data. */
const EXAMPLES = {
  'the units': {
    before: unitSteps('petstore-litestream.service', 'ExecStartPre'),
    copying: unitSteps('petstore-litestream.service', 'ExecStart')[0] as Step,
    stop: unitSteps('petstore-litestream.service', 'ExecStop'),
    database: '/var/lib/petstore/petstore.db',
    folder: '/var/lib/petstore-replica',
  },
  'the StatefulSet': {
    before: [podStep('fetch'), podStep('restore')],
    copying: podStep('litestream'),
    stop: [],
    database: '/data/petstore.db',
    folder: '/backups/litestream',
  },
}

describe.skipIf(noLitestream !== '')(`Litestream${noLitestream}`, () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  beforeAll(async () => {
    await installLitestream()
    s3 = await startS3(['units', 'pods', 'none', 'page'])
  })
  afterAll(() => s3?.stop())

  const machineWith = (bucket: string) =>
    new Machine({
      ...{ LITESTREAM_BUCKET: bucket, LITESTREAM_REGION: 'eu-central-1', LITESTREAM_ENDPOINT: s3.endpoint },
      ...{ LITESTREAM_ACCESS_KEY_ID: 'id', LITESTREAM_SECRET_ACCESS_KEY: 'secret' },
    })

  async function prepare(machine: Machine, steps: readonly Step[]): Promise<string> {
    const said: string[] = []
    for (const step of steps) {
      const { status, stdout, stderr } = await machine.run(step)
      expect([step.command, status, stderr]).toEqual([step.command, 0, ''])
      // Without Litestream's log.
      said.push(stdout.replaceAll(/^time=.*\n/gm, ''))
    }
    return said.join('')
  }

  const serveOn = (machine: Machine, database: string, env = {}) =>
    serve(['--database', machine.here(database)], { env: { PETSTORE_BOOTSTRAP_KEY: key, ...env } })

  const idsOf = async ({ url }: Running) => {
    const pets = JSON.parse((await ask('GET', `${url}/pets?limit=100`, key)).text) as { id: number }[]
    return pets.map(({ id }) => id)
  }

  test.each(Object.entries(EXAMPLES))(
    '%s: a graceful stop loses nothing, and the next machine serves the store without reusing ids',
    async (name, { before, copying, stop, database, folder }) => {
      const bucket = name === 'the units' ? 'units' : 'pods'
      const first = machineWith(bucket)
      expect(await prepare(first, before)).toBe('There is no backup; nothing was restored.\n')
      const copier = first.start(copying)
      const service = await serveOn(first, database)
      await add({ url: service.url, key }, PETS)
      const events = await ask('GET', `${service.url}/store/events?limit=1`, key)
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(events.headers.get('link') ?? '') ?? []
      const ids = await idsOf(service)
      expect(ids.length).toBe(PETS)
      expect(await service.stop('SIGTERM')).toBe(0)
      await prepare(first, stop)
      copier.kill('SIGTERM')
      expect(await copier.exited).toBe(0)

      // The units lose everything except the bucket; the pod loses only the volume with its store.
      const second = machineWith(name === 'the units' ? bucket : 'none')
      if (name !== 'the units') {
        rmSync(second.here('/backups'), { recursive: true })
        renameSync(first.here('/backups'), second.here('/backups'))
        expect(second.has(folder)).toBe(true)
      }
      rmSync(first.folder, { recursive: true })
      const said = await prepare(second, before)
      expect(said).toContain(`Restored ${PETS} pets, 0 orders and 1 key`)
      expect(said).toContain('Active keys')
      const again = second.start(copying)
      const served = await serveOn(second, database)
      expect(await idsOf(served)).toEqual(ids)
      const at = Date.now()
      const added = await ask('POST', `${served.url}/pets`, key, '{"name":"Rex","categoryId":1}')
      expect(JSON.parse(added.text).id).toBeGreaterThan(1_000_000)
      expect((await ask('GET', new URL(next, served.url).href, key)).status).toBe(410)
      // A restart on the same machine does not change the store.
      expect(await prepare(second, before)).toBe('There is a store already; nothing was restored.\n')
      if (name === 'the units') await checks(second, served, at)
      await served.stop()
      // SIGKILL to the sidecar's shell would orphan Litestream.
      again.kill('SIGTERM')
      await again.exited
    },
  )

  /** Checks the copy like the timer, until it has the pet that was added at `at`. */
  async function checks(machine: Machine, service: Running, at: number): Promise<void> {
    await sentSince(machine.here('/var/lib/petstore-replica'), at)
    const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: key }
    const [restore, check] = unitSteps('petstore-check.service', 'ExecStart').map((step) => ({
      ...step,
      env: { ...step.env, ...env },
    })) as unknown as [Step, Step]
    const cleanings = unitSteps('petstore-check.service', 'ExecStartPre')
    await until('the copy has all events', async () => {
      await prepare(machine, cleanings)
      await prepare(machine, [restore])
      const said = await prepare(machine, [check])
      expect(said).toContain('copy.db is good up to event ')
      return said.includes(COPY_HAS_ALL)
    })
    const metrics = readFileSync(machine.here('/var/local/petstore-metrics/petstore.prom'), 'utf8')
    expect(metrics).toMatch(/^petstore_copy_good_until_seconds [\d.]+$/m)
  }

  test('the commands of docs/backups.md restore the store of a lost machine', async () => {
    const machine = machineWith('page')
    const env = { LITESTREAM_FOLDER: '/backups/litestream', PETSTORE_DATABASE: '/data/petstore.db' }
    const command = ['litestream', 'replicate', '-config', '/etc/petstore/litestream.yml']
    const copier = machine.start({ command, env })
    const service = await serveOn(machine, '/data/petstore.db')
    const at = Date.now()
    await add({ url: service.url, key }, PETS)
    await sentSince(machine.here('/backups/litestream'), at)
    const copy = ['restore', '-config', '/etc/petstore/litestream.yml', '-o', '/data/look.db', '/data/petstore.db']
    await until('the copy has all events', async () => {
      await machine.run({ command: ['rm', '-f', '/data/look.db'], env })
      const { status } = await machine.run({ command: ['litestream', ...copy], env })
      const args = ['/data/look.db', '--url', service.url, '--api-key', key]
      const check = { command: ['petstore', 'check-backup', ...args], env }
      return status === 0 && (await machine.run(check)).stdout.includes(COPY_HAS_ALL)
    })
    await service.stop('SIGKILL')
    copier.kill('SIGKILL')
    await copier.exited
    rmSync(machine.here('/data'), { recursive: true })

    const page = readFileSync(join(root, 'docs/backups.md'), 'utf8')
    const lines = page.split(/^```.*\n/m).find((block) => block.startsWith('litestream restore')) as string
    expect(lines).toEndWith('\npetstore serve\n')
    const commands = machine.here(lines.replace('petstore serve', 'echo serves'))
    const options = { command: ['sh'], env: machine.env(env), cwd: machine.folder }
    const { status, stdout } = await run(['-ec', commands], options)
    expect([status, stdout]).toEqual([0, expect.stringContaining(`Restored ${PETS} pets`)])
    const served = await serveOn(machine, '/data/petstore.db')
    expect((await idsOf(served)).length).toBe(PETS)
    await served.stop()
  })
})
