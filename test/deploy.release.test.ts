// Checks the examples in deploy/ by installed tools, and runs the executable and the image with their settings.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import document from '../openapi.yaml'
import type { Parameter } from '../packages/contract/src/openapi.ts'
import { unknownVariables } from '../packages/service/src/config/read-config.ts'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { executable as builtExecutable } from './support/artefacts.ts'
import {
  compose,
  composeExample,
  type Example,
  imageExample,
  kubernetes,
  kubernetesExample,
  systemdExample,
  textOf,
  unit,
} from './support/examples.ts'
import { temporaryFile } from './support/files.ts'
import { buildImage, type Image, missingToRun } from './support/image.ts'
import { freePort } from './support/ports.ts'
import { Cluster, sharedCluster } from './support/postgres.ts'
import { ask, type Running, root, run, start } from './support/process.ts'
import { until } from './support/until.ts'

const folder = join(root, 'deploy')
const KUBERNETES = ['kubernetes.yaml', 'kubernetes-file.yaml']
const SERVERS = ['petstore.service', 'petstore-postgres.service']
const UNITS = [...SERVERS, 'petstore-forward.service', 'petstore-litestream.service', 'petstore-check.service']
const NAMES = [...UNITS, 'compose.yaml', ...KUBERNETES]
const unlessMissing = (tool: string, name: string, body: () => void) =>
  test.skipIf(Bun.which(tool) === null)(`${name}${Bun.which(tool) ? '' : `: skipped, ${tool} missing`}`, body)

test('the examples set only variables that are settings', () => {
  for (const name of NAMES) {
    const variables = textOf(name).match(/PETSTORE_\w+/g) ?? []
    expect(variables.length).toBeGreaterThan(1)
    expect(unknownVariables(Object.fromEntries(variables.map((variable) => [variable, ''])))).toEqual([])
  }
})

test.each([
  ['nginx.conf', /proxy_read_timeout (\d+)s;/],
  ['Caddyfile', /response_header_timeout (\d+)s\n/],
])('the read timeout of %s is longer than the longest wait for events', (name, patience) => {
  const { parameters = [] } = document.paths['/store/events']?.get ?? {}
  const wait = parameters.find((one) => 'name' in one && one.name === 'wait') as Parameter
  expect(Number(patience.exec(textOf(name))?.[1])).toBeGreaterThan(wait.schema.maximum as number)
})

/** The user id of the image. The systemd unit uses another one. */
const USER = Number(/^USER (\d+):\1$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1])

test('the image, its examples and docs/operations.md use the same user id', () => {
  for (const name of KUBERNETES)
    for (const field of ['runAsUser', 'runAsGroup', 'fsGroup']) expect(textOf(name)).toContain(`${field}: ${USER}\n`)
  expect(readFileSync(join(root, 'docs/operations.md'), 'utf8')).toContain(`chown ${USER} FOLDER`)
})

test.each([
  ['petstore-litestream.service', /\/sleep (\d+)$/m],
  ['kubernetes-file.yaml', /"sleep (\d+);/],
])('%s gives Litestream time to send the last commits', (name, wait) => {
  const intervals = textOf('litestream.yml').matchAll(/sync-interval: (\d+)s/g)
  const longest = Math.max(...Array.from(intervals, ([, seconds]) => Number(seconds)))
  expect(Number(wait.exec(textOf(name))?.[1])).toBeGreaterThan(longest)
})

unlessMissing('systemd-analyze', 'each unit has an exposure level of at most 2.0 of 10', () => {
  const units = UNITS.map((name) => join(folder, name))
  const { stdout } = Bun.spawnSync(['systemd-analyze', 'security', '--offline=true', '--no-pager', ...units])
  const levels = [...stdout.toString().matchAll(/Overall exposure level for \S+: ([\d.]+)/g)]
  expect(levels.map(([, exposure]) => Number(exposure) <= 2)).toEqual(units.map(() => true))
})

test('units that restart keep trying, every 2 seconds', () => {
  const restarting = UNITS.map(unit).filter((valuesOf) => valuesOf('Restart').length > 0)
  expect(restarting).toHaveLength(4)
  for (const valuesOf of restarting)
    expect([valuesOf('RestartSec'), valuesOf('StartLimitIntervalSec')]).toEqual([['2'], ['0']])
})

unlessMissing('docker-compose', 'the Compose file is valid', () => {
  const copy = temporaryFile('compose.yaml')
  copyFileSync(join(folder, 'compose.yaml'), copy)
  mkdirSync(join(dirname(copy), 'secrets'))
  for (const secret of Object.keys(compose().secrets)) writeFileSync(join(dirname(copy), 'secrets', secret), '')
  const { exitCode, stderr } = Bun.spawnSync(['docker-compose', '-f', copy, 'config', '--quiet'])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})

unlessMissing(
  'pg_isready',
  'the Compose health check waits for the TCP port of PostgreSQL, which opens after the setup',
  async () => {
    const [kind, ...command] = compose().services.postgres.healthcheck.test
    const making = await Cluster.start({ listen_addresses: '', unix_socket_directories: '.' })
    const isReady = (env: Record<string, string>) =>
      Bun.spawnSync(command, { env: { ...process.env, ...env } }).exitCode
    const before = isReady({ PGPORT: String(making.port), PGHOST: making.folder })
    expect([kind, before, isReady({ PGPORT: String((await sharedCluster()).port) })]).toEqual(['CMD', 2, 0])
    await making.remove()
  },
)

test.each(KUBERNETES)('the memory alert fires below the limit of %s', (name) => {
  const rules = readFileSync(join(root, 'docs/monitoring/prometheus-rules.yaml'), 'utf8')
  const alert = Number(/process_resident_memory_bytes > (\S+)/.exec(rules)?.[1])
  const memory = textOf(name).matchAll(/limits: \{ memory: (\d+)Mi \}/g)
  const limits = Array.from(memory, ([, limit]) => Number(limit) * 2 ** 20)
  expect(limits.filter((limit) => alert < 0.8 * limit)).toEqual(limits)
  expect(alert).toBeGreaterThan(0)
})

/** The first document of a Kubernetes example. */
const workload = (name: string) => kubernetes(name)[0].spec

test('kubernetes-file.yaml has one replica, with volumes for data and backups', () => {
  const { replicas, template, volumeClaimTemplates } = workload('kubernetes-file.yaml')
  const [{ volumeMounts, env = [] }] = template.spec.containers
  const [secrets, ...volumes] = volumeMounts
  expect([replicas, secrets?.mountPath]).toEqual([1, '/secrets'])
  expect(volumeClaimTemplates.map(({ metadata }) => metadata.name)).toEqual(volumes.map(({ name }) => name))
  // The data folder of the image, and the backup folder.
  const backups = env.find(({ name }) => name === 'PETSTORE_BACKUP_DIR')?.value as string
  expect(volumes.map(({ mountPath }) => mountPath)).toEqual(['/data', backups])
})

test('kubernetes.yaml has two replicas and a rolling update, and startup probes allow a migration of an hour', () => {
  const { replicas, strategy } = workload('kubernetes.yaml')
  expect([replicas, strategy.rollingUpdate.maxUnavailable]).toEqual([2, 0])
  for (const name of KUBERNETES) {
    const [{ startupProbe, readinessProbe, livenessProbe }] = workload(name).template.spec.containers
    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)
    expect(paths).toEqual(['/readyz', '/readyz', '/healthz'])
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(3600)
  }
})

test.each(KUBERNETES)('a network policy of %s lets only Prometheus read /metrics', (name) => {
  const documents = Bun.YAML.parse(textOf(name)) as { kind: string; spec: object }[]
  const policies = documents.filter(({ kind }) => kind === 'NetworkPolicy')
  const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]
  const ingress = [{ ports: [{ port: 'http' }] }, { ports: [{ port: 'metrics' }], from }]
  expect(policies.map(({ spec }) => spec)).toEqual([{ podSelector: { matchLabels: { app: 'petstore' } }, ingress }])
})

const asRoot = process.getuid?.() === 0
const asUser = asRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []
const image = imageExample()
const ON_IMAGE: Record<string, Partial<Example>> = {
  'docker run': {},
  'compose.yaml': composeExample(),
  ...Object.fromEntries(KUBERNETES.map((name) => [name, kubernetesExample(name)])),
}
const EXAMPLES: Record<string, Example> = Object.fromEntries(SERVERS.map((name) => [name, systemdExample(name)]))
for (const [name, { environment, ...example }] of Object.entries(ON_IMAGE)) {
  EXAMPLES[name] = { ...image, ...example, environment: { ...image.environment, ...environment } }
}
/** Avoids other services on this machine. */
const ELSEWHERE = { PETSTORE_HOST: '127.0.0.1', PETSTORE_ADMIN_HOST: '127.0.0.1', PETSTORE_ADMIN_PORT: '0' }
let executable: string
beforeAll(async () => {
  executable = await builtExecutable()
  for (const path of [dirname(executable), dirname(dirname(executable))]) chmodSync(path, 0o755)
})

unlessMissing('psql', 'the Compose example gives the role of the service only the rights that it needs', async () => {
  const cluster = await Cluster.start()
  const folder = dirname(temporaryFile('x'))
  const addressOf = (role: string) => `postgres://${role}:secret@127.0.0.1:${cluster.port}/petstore`
  writeFileSync(join(folder, 'owner'), addressOf('petstore_owner'))
  writeFileSync(join(folder, 'database'), addressOf('petstore'))
  const here = (text: string) =>
    text.replaceAll('/run/secrets', folder).replaceAll('/postgresql.md', join(root, 'docs/postgresql.md'))
  const roles = join(folder, 'roles.sql')
  writeFileSync(roles, `${here(textOf('compose-roles.sql'))}\\echo :owner :server\n`)
  const { migrate, grants } = compose().services
  const admin = ['-v', 'ON_ERROR_STOP=1', '-X', '-q', '-h', '127.0.0.1', '-p', String(cluster.port), '-U', 'postgres']
  const owner = { PETSTORE_DATABASE_FILE: here(migrate.environment.PETSTORE_DATABASE_FILE as string) }
  const ended = [
    await run([...admin, '-f', roles], { command: ['psql'] }),
    await run(migrate.command, { command: [executable], env: owner }),
    // Compose reads `$$` as `$`.
    await run(
      grants.entrypoint.slice(1).map((word) => here(word).replaceAll('$$', '$')),
      { command: ['sh'] },
    ),
  ]
  expect(ended.map(({ status, stderr }) => ({ status, stderr }))).toEqual(Array(3).fill({ status: 0, stderr: '' }))
  expect(ended[0]?.stdout).toBe('secret secret\n')
  const env = { PETSTORE_DATABASE_FILE: join(folder, 'database'), PETSTORE_PORT: '0' }
  const service = await start(['serve'], { command: [executable], env })
  expect((await ask('POST', `${service.url}/pets`, service.key, PET)).status).toBe(201)
  await service.stop()
  const login =
    'SELECT rolname, rolsuper, rolpassword IS NOT NULL AS secret FROM pg_authid WHERE rolname ~ $$^petstore$$'
  expect(await cluster.run(`${login} ORDER BY 1`)).toEqual([
    { rolname: 'petstore', rolsuper: false, secret: true },
    { rolname: 'petstore_owner', rolsuper: false, secret: true },
  ])
  const dropped = await run(['-c', 'DROP TABLE pets CASCADE', addressOf('petstore')], { command: ['psql'] })
  expect(dropped.stderr).toContain('must be owner of table pets')
  await cluster.remove()
})

test.each(Object.keys(EXAMPLES))('the executable serves with the settings of %s', async (name) => {
  const { environment, secrets = '/none', workdir, data } = EXAMPLES[name] as Example
  // A folder represents the machine.
  const machine = mkdtempSync(temporaryFile('machine-'))
  const here = (path: string) => join(machine, path)
  const secret = await writeSecrets(here(secrets))
  for (const path of [workdir, data]) mkdirSync(here(path), { recursive: true })
  own(dirname(machine), machine, here(data))
  const env = Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [variable, value.startsWith('/') ? here(value) : value]),
  )
  const given = { PETSTORE_PORT: '0', ...env, ...ELSEWHERE }
  const service = await start(['serve'], { command: [...asUser, executable], cwd: here(workdir), env: given })
  await checkServes(service, environment, secret, here(join(data, 'petstore.db')))
  expect(await service.stop()).toBe(0)
})

const unrun = missingToRun.length > 0 ? `: skipped, ${missingToRun.join(', ')} missing` : ''
describe.skipIf(unrun !== '')(`the image in a container${unrun}`, () => {
  let built: Image
  let port: number
  beforeAll(async () => {
    built = await buildImage(executable)
    port = freePort()
    const address = ['-e', `PETSTORE_PORT=${port}`, '-e', 'PETSTORE_HOST=127.0.0.1']
    // The host's network, because sandboxes can forbid others.
    const options = ['--name', 'petstore', '--network', 'host', '--read-only', ...address]
    await built.podman('run', '-d', ...options, 'localhost/petstore')
  })
  afterAll(async () => {
    await built?.podman('rm', '-f', '-v', 'petstore')
    await built?.remove()
  })

  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok
  const ready = () => until('the service is ready', isReady)

  test('serves without root, and its health check passes', async () => {
    await ready()
    expect((await built.podman('exec', 'petstore', '/petstore', 'health')).trim()).toBe('ready')
    const [{ Config, Healthcheck }] = JSON.parse(await built.podman('image', 'inspect', 'localhost/petstore'))
    const { User, StopSignal } = Config
    expect({ User, StopSignal }).toEqual({ User: `${USER}:${USER}`, StopSignal: 'SIGTERM' })
    expect(Healthcheck.Test).toEqual(['CMD', '/petstore', 'health'])
  })

  test('keeps its volume across a restart', async () => {
    const [key = ''] = /pets_live_\w+/.exec(await built.podman('logs', 'petstore')) ?? []
    const url = `http://127.0.0.1:${port}/v1/pets`
    expect((await ask('POST', url, key, PET)).status).toBe(201)
    await built.podman('stop', '-t', '10', 'petstore')
    expect(JSON.parse(await built.podman('inspect', 'petstore'))[0].State.ExitCode).toBe(0)
    await built.podman('start', 'petstore')
    await ready()
    expect((await ask('GET', url, key)).text).toContain('"Rex"')
  })
})

const PET = '{"name":"Rex","categoryId":7}'

type Secret = Awaited<ReturnType<typeof writeSecrets>>

/** Writes the secrets as files that only the service's user can read. */
async function writeSecrets(folder: string) {
  const secret = { database: await (await sharedCluster()).newDatabase(), key: generateKey('production') }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(secret)) {
    writeFileSync(join(folder, name), text, { mode: 0o400 })
    own(join(folder, name))
  }
  return secret
}

/** Changes the owner to the service's user. */
function own(...paths: string[]): void {
  if (asRoot) for (const path of paths) chownSync(path, USER, USER)
}

/** Adds a pet, and checks that it is in the PostgreSQL database or the file of the example. */
async function checkServes(service: Running, env: Record<string, string>, { database, key }: Secret, file: string) {
  const given = env.PETSTORE_BOOTSTRAP_KEY_FILE !== undefined
  expect((await ask('POST', `${service.url}/pets`, given ? key : service.key, PET)).status).toBe(201)
  if (env.PETSTORE_DATABASE_FILE === undefined) {
    expect(service.stdout()).toContain(`\nData         ${file}\n`)
    return
  }
  expect(await (await sharedCluster()).run('SELECT name FROM pets', database)).toEqual([{ name: 'Rex' }])
}
