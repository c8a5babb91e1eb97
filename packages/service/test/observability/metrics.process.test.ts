// Metrics, their listener, and the alerts and dashboard in docs/monitoring.

import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { ask, root, run, serve } from '../../../../test/support/process.ts'
import { expectReleased } from '../../../../test/support/released.ts'
import { startService } from '../../../../test/support/service.ts'
import { metricsOf } from '../../../cli/src/commands/backup.ts'
import { Progress } from '../../../cli/src/forward/forwarder.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { createLog } from '../../src/observability/log.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { migrateStore, openStore } from '../../src/store/kinds.ts'

const PET = petBody()
const database = temporaryFile('petstore.db')
const service = await serve(['--database', database], {
  env: { PETSTORE_ADMIN_PORT: '0', PETSTORE_BACKUP_DIR: dirname(temporaryFile('x')) },
})
const metricsUrl = /^metrics on (\S+)$/m.exec(service.stdout())?.[1] as string
for (let n = 0; n < 3; n++) await ask('POST', `${service.url}/pets`, service.key, PET)
await ask('GET', `${service.url}/pets`, service.key)
await ask('GET', `${service.url}/pets/1`, service.key)
await ask('GET', `${service.url}/pets/2`, service.key)
await ask('GET', `${service.url}/pets?limit=0`, service.key)
const place = (order: object) => ask('POST', `${service.url}/store/orders`, service.key, JSON.stringify(order))
await place({ petId: 1 })
await ask('POST', `${service.url}/store/orders/1/complete`, service.key)
await place({ petId: 2, expiresAt: new Date(Date.now() + 200).toISOString() })
await service.logs('"expireOrders"')
await place({ petId: 3 })
await ask('GET', `${service.url}/pets`, 'none')
await ask('GET', `${service.url}/anything/at/all`, service.key)

const metrics = async () => (await fetch(metricsUrl)).text()
/** Including the metrics of the forwarder and of check-backup. */
const allMetrics = async () => [await metrics(), new Progress(createLog('silent')).text(), metricsOf(0)].join('')
const value = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

/** The samples after the requests above. */
const SAMPLES = `
petstore_request_duration_seconds_count{operation="createPet",status="201"} 3
petstore_request_duration_seconds_count{operation="listPets",status="200"} 1
petstore_request_duration_seconds_count{operation="listPets",status="400"} 1
petstore_request_duration_seconds_count{operation="listPets",status="401"} 1
petstore_request_duration_seconds_count{operation="getPet",status="200"} 2
petstore_request_duration_seconds_count{operation="none",status="404"} 1
petstore_request_duration_seconds_count{operation="placeOrder",status="201"} 3
petstore_request_duration_seconds_count{operation="completeOrder",status="200"} 1
petstore_store_duration_seconds_count{call="createPet",outcome="ok"} 3
petstore_store_duration_seconds_count{call="placeOrder",outcome="ok"} 3
petstore_order_transitions_total{status="pending"} 3
petstore_order_transitions_total{status="completed"} 1
petstore_order_transitions_total{status="expired"} 1
petstore_order_transitions_total{status="cancelled"} 0
petstore_order_transitions_total{status="returned"} 0
petstore_pets{status="available"} 1
petstore_pets{status="pending"} 1
petstore_pets{status="sold"} 1
petstore_commit_changes_sum 8
petstore_deprecated_calls_total{operation="getPet",key_id="1"} 2
petstore_requests_in_flight 0
petstore_waiting_readers 0
petstore_pool_size 0
petstore_pool_busy 0
petstore_pool_waiting 0
petstore_lock_wait_seconds 0
petstore_pool_failures_total 0
petstore_backup_overdue_seconds 0`

test('metrics count requests, orders, pets and commits, without labels that a caller can choose', async () => {
  await service.logs('"msg":"backup"')
  const text = await metrics()
  const missing = SAMPLES.trim()
    .split('\n')
    .filter((sample) => !text.includes(`\n${sample}\n`))
  expect(missing).toEqual([])
  expect(text).not.toContain('anything')
  expect(value(text, 'petstore_commit_duration_seconds_count')).toBeGreaterThan(0)
  // The last bucket holds a full batch.
  expect([...text.matchAll(/petstore_commit_changes_bucket\{le="(\d+)"/g)].at(-1)?.[1]).toBe(String(LIMITS.batchMax))
  const size = value(text, 'petstore_disk_size_bytes') ?? 0
  expect(value(text, 'petstore_disk_free_bytes')).toBeWithin(1, size)
  expect(value(text, 'petstore_log_bytes')).toBe(statSync(`${database}-wal`).size)
})

test('metrics keep the names of a release', async () => {
  // Each name, and each name with a label.
  const samples = (await allMetrics()).matchAll(/^(?:# TYPE )?([a-z]\w+)(?:\{(.*)\})?/gm)
  expectReleased(
    'metrics',
    samples.flatMap(([line, name = '', labels = '']) => [
      ...(line.startsWith('#') ? [name] : []),
      ...labels.matchAll(/(\w+)="/g).map(([, label]) => `${name} ${label}`),
    ]),
  )
})

test('each have a row in docs/operations.md, and a test of their value', async () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const files = [...new Bun.Glob('packages/{service,cli}/test/**/*.ts').scanSync({ cwd: root, absolute: true })]
  const tests = files.map((path) => readFileSync(path, 'utf8')).join('')
  const names = (await allMetrics()).matchAll(/^# TYPE (petstore_\S+)/gm).map(([, name]) => name as string)
  const all = [...names]
  expect(all.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  expect(all.filter((name) => !new RegExp(`${name}(?:_count|_sum)?\\b`).test(tests))).toEqual([])
})

test('metrics report the process under the common names of Prometheus client libraries', async () => {
  const text = await metrics()
  const ofLinux = ['process_virtual_memory_bytes', 'process_heap_bytes', 'process_open_fds', 'process_max_fds']
  for (const name of [
    ...['process_cpu_user_seconds_total', 'process_cpu_system_seconds_total', 'process_cpu_seconds_total'],
    ...['process_resident_memory_bytes', 'nodejs_heap_size_total_bytes', 'nodejs_heap_size_used_bytes'],
    ...(process.platform === 'linux' ? ofLinux : []),
  ]) {
    expect([name, (value(text, name) ?? 0) > 0]).toEqual([name, true])
  }
  const startedAt = value(text, 'process_start_time_seconds')
  expect(startedAt).toBeWithin(Date.now() / 1000 - 600, Date.now() / 1000)
  expect(value(await metrics(), 'process_start_time_seconds')).toBe(startedAt as number)
  // A name is described once, and each sample is a name, optional labels, and a number.
  const described = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(new Set(described).size).toBe(described.length)
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    expect(line).toMatch(/^[a-z_0-9]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+$/)
  }
})

test('metrics are on a separate port on loopback, and not on the service’s port', async () => {
  expect(new URL(metricsUrl).hostname).toBe('127.0.0.1')
  expect((await fetch(new URL('/metrics', service.url))).status).toBe(404)
  expect((await fetch(new URL('/v1/pets', metricsUrl))).status).toBe(404)
})

test('only the inventory and lock waits are missing if the store does not respond', async () => {
  const metrics = new Metrics()
  metrics.watch({ lockWaitSeconds: async () => 1.5 })
  const store = metrics.timed(await openStore(':memory:', { now: Date.now }))
  expect(await metrics.text()).toContain('petstore_pets{status="sold"} 0')
  expect(await metrics.text()).toContain('petstore_lock_wait_seconds 1.5\n')
  await store.close()
  metrics.watch({ lockWaitSeconds: () => Promise.reject(new Error('the store does not answer')) })
  const text = await metrics.text()
  expect(text).not.toContain('\npetstore_lock_wait_seconds')
  expect(text).not.toContain('petstore_pets{')
  expect(text).toContain('petstore_requests_in_flight 0')
  const hung = () => new Promise<never>(() => undefined)
  metrics.timed({ ...store, getInventory: hung })
  metrics.watch({ lockWaitSeconds: hung })
  expect((await metrics.text()).split('\n').length).toBe(text.split('\n').length)
})

describe('docs/monitoring', () => {
  const files = ['prometheus-rules.yaml', 'grafana-dashboard.json'].map((name) => join(root, 'docs/monitoring', name))

  test('docs/monitoring uses only metrics and labels that exist', async () => {
    const text = await allMetrics()
    // A counter with labels has no line before its first event.
    const known = new Set([...text.matchAll(/^(?:# TYPE )?([a-z_]+)[{ ]/gm)].map(([, name]) => name as string)).add(
      'up',
    )
    const asked = files.flatMap((file) => expressions(readFileSync(file, 'utf8')))
    expect(asked.length).toBeGreaterThan(15)
    for (const name of asked.flatMap((one) => one.match(/\b(?:petstore|process|up)[a-z_]*(?=[{[ ])/g) ?? [])) {
      expect(known).toContain(name)
    }
    const labels = new Set([...text.matchAll(/([a-z_]+)="/g)].map(([, name]) => name as string)).add('reason')
    for (const [, by = ''] of asked.join('\n').matchAll(/by \(([^)]*)\)/g)) {
      for (const label of by.split(', ')) expect([...labels, 'instance']).toContain(label)
    }
  })

  test('every alert has a panel that shows its metric', () => {
    const [rules = [], panels = []] = files.map((file) => expressions(readFileSync(file, 'utf8')))
    expect(rules.length).toBeGreaterThan(15)
    const metrics = rules.map((rule) => /\b(?:petstore|process|pg|up)(?:_\w+)?(?=[{[ )])/.exec(rule)?.[0] as string)
    const shown = panels.join('\n')
    expect(metrics.filter((name) => !shown.includes(name.replace(/_bucket$|_count$/, '')))).toEqual([])
  })

  test('every alert has a test that it fires and a test that it does not', () => {
    const read = <Of>(name: string) => Bun.YAML.parse(readFileSync(join(root, 'docs/monitoring', name), 'utf8')) as Of
    const { groups } = read<{ groups: { rules: { alert: string }[] }[] }>('prometheus-rules.yaml')
    const { tests } = read<{ tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] }>(
      'prometheus-rules.test.yaml',
    )
    const tested = tests.flatMap(({ alert_rule_test: all }) =>
      all.map(({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length}`),
    )
    const alerts = groups.flatMap(({ rules }) => rules).map(({ alert }) => alert)
    expect([...new Set(tested)].sort()).toEqual(alerts.flatMap((alert) => [`${alert} 0`, `${alert} 1`]).sort())
  })

  const promtool = Bun.which('promtool')
  test.skipIf(!promtool)(`the rules pass their tests${promtool ? '' : ': skipped, promtool missing'}`, async () => {
    const command = ['promtool', 'test', 'rules', 'prometheus-rules.test.yaml']
    const { status, stdout, stderr } = await run([], { command, cwd: join(root, 'docs/monitoring') })
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  function expressions(text: string): string[] {
    const document = Bun.YAML.parse(text) as {
      groups?: { rules: { expr: string }[] }[]
      panels?: { targets: { expr: string }[] }[]
    }
    const rules = document.groups?.flatMap((group) => group.rules) ?? []
    const targets = document.panels?.flatMap((panel) => panel.targets) ?? []
    return [...rules, ...targets].map(({ expr }) => expr)
  }
})

test('/metrics leaves out the disk of a store whose folder is gone', async () => {
  const metrics = new Metrics()
  metrics.watch({ file: '/none/petstore.db' })
  const text = await metrics.text()
  expect([text.includes('petstore_waiting_readers'), text.includes('petstore_disk_free_bytes')]).toEqual([true, false])
})

test('petstore deprecated lists the keys that call deprecated operations', async () => {
  const file = temporaryFile('petstore.db')
  await migrateStore(file)
  const none = await run(['keys', 'create', '--name', 'till', '--database', file])
  expect((await run(['deprecated', '--database', file])).stdout).toContain('No key has called')
  const caller = await startService({ address: file, now: Date.now })
  for (let n = 0; n < 2; n++) await ask('GET', `${caller.url}/pets/1`, none.stdout.trim())
  await caller.stop()
  expect((await run(['deprecated', '--database', file])).stdout).toMatch(/\n1 +till +getPet +2 +\d{4}-/)
  const [row] = JSON.parse((await run(['deprecated', '--json', '--database', file])).stdout)
  expect(row).toMatchObject({ keyId: 1, name: 'till', operationId: 'getPet', calls: 2 })
})
