// The examples in deploy/: each tool that judges one and is there, judges it; and what they say of the service is so.

import { describe, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unknownVariables } from '../src/config/config.ts'
import { temporaryFile } from './support/files.ts'
import { root } from './support/process.ts'

const folder = join(root, 'deploy')
const NAMES = ['petstore.service', 'compose.yaml', 'kubernetes.yaml']
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const unlessMissing = (tool: string, name: string, body: () => void) =>
  test.skipIf(Bun.which(tool) === null)(`${name}${Bun.which(tool) ? '' : `: skipped, ${tool} missing`}`, body)

describe.each(NAMES)('%s', (name) => {
  test('sets only variables that are settings', () => {
    const variables = textOf(name).match(/PETSTORE_\w+/g) ?? []
    expect(variables.length).toBeGreaterThan(1)
    expect(unknownVariables(Object.fromEntries(variables.map((variable) => [variable, ''])))).toEqual([])
  })
})

unlessMissing('systemd-analyze', 'the unit exposes at most 2.0 of 10', () => {
  const { stdout } = Bun.spawnSync([
    'systemd-analyze',
    'security',
    '--offline=true',
    '--no-pager',
    join(folder, 'petstore.service'),
  ])
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout.toString())?.[1])
  expect(exposure).toBeLessThanOrEqual(2)
})

unlessMissing('docker-compose', 'docker-compose reads the Compose file', () => {
  const copy = temporaryFile('compose.yaml')
  copyFileSync(join(folder, 'compose.yaml'), copy)
  for (const secret of ['database', 'database-password', 'key']) writeFileSync(join(dirname(copy), secret), '')
  const { exitCode, stderr } = Bun.spawnSync(['docker-compose', '-f', copy, 'config', '--quiet'])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})

test('Kubernetes: two replicas, a rolling update, and probes on paths of the service', () => {
  const [deployment] = Bun.YAML.parse(textOf('kubernetes.yaml')) as { spec: Deployment }[]
  const { replicas, strategy, template } = (deployment as { spec: Deployment }).spec
  expect([replicas, strategy.rollingUpdate.maxUnavailable]).toEqual([2, 0])
  const [{ startupProbe, readinessProbe, livenessProbe }] = template.spec.containers
  expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
    '/readyz',
    '/readyz',
    '/healthz',
  ])
})

interface Deployment {
  replicas: number
  strategy: { rollingUpdate: { maxUnavailable: number } }
  template: { spec: { containers: [Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe>] } }
}

interface Probe {
  httpGet: { path: string }
}
