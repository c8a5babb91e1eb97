// Reads the examples in deploy/, and how they and the Dockerfile start the service: environment, files and user.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

export interface Example {
  environment: Record<string, string>
  /** The folder of the files `database` and `key`. */
  secrets?: string
  /** The current folder. */
  workdir: string
  /** The folder that the service can write to. */
  data: string
}

/** The text of an example. */
export const textOf = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8')
export const compose = () => Bun.YAML.parse(textOf('compose.yaml')) as Compose
/** The workload of a Kubernetes example, and the Service in front of it. */
export const kubernetes = (name: string) => Bun.YAML.parse(textOf(name)) as [{ spec: Workload }, KubernetesService]

/** Returns a function that returns the values of a directive of a unit, such as ExecStart. */
export function unit(name: string) {
  const text = textOf(name)
  return (directive: string) =>
    [...text.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/** The settings of the image, which examples extend. */
export function imageExample(): Example {
  const lines = textOf('../Dockerfile')
  const [, variables = ''] = /^ENV (.*)$/m.exec(lines) ?? []
  const [, workdir = '/'] = /^WORKDIR (.*)$/m.exec(lines) ?? []
  return { environment: Object.fromEntries(variables.split(' ').map(pair)), workdir, data: '/data' }
}

export function composeExample(): Partial<Example> {
  return { environment: compose().services.petstore.environment, secrets: '/run/secrets' }
}

export function kubernetesExample(name: string): Partial<Example> {
  const [{ spec }, service] = kubernetes(name)
  const { containers, enableServiceLinks } = spec.template.spec
  const [{ env = [], volumeMounts }] = containers
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  const links = enableServiceLinks === false ? {} : serviceLinks(service)
  return { environment: { ...links, ...own }, secrets: volumeMounts[0]?.mountPath as string }
}

export function systemdExample(name: string): Example {
  const valuesOf = unit(name)
  const secrets = `/run/credentials/${name}`
  const variables = valuesOf('Environment').map((variable) => variable.replace('%d', secrets))
  const [workdir = '/'] = valuesOf('WorkingDirectory')
  return { environment: Object.fromEntries(variables.map(pair)), secrets, workdir, data: '/var/lib/petstore' }
}

/** The name and the value of an assignment. */
export function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The variables that Kubernetes sets in each pod for a Service of its namespace. */
function serviceLinks({ metadata, spec }: KubernetesService): Record<string, string> {
  const [{ name, port }] = spec.ports
  const [prefix, host] = [metadata.name.toUpperCase().replaceAll('-', '_'), '10.96.0.7']
  return {
    [`${prefix}_SERVICE_HOST`]: host,
    [`${prefix}_SERVICE_PORT`]: String(port),
    [`${prefix}_SERVICE_PORT_${name.toUpperCase()}`]: String(port),
    [`${prefix}_PORT`]: `tcp://${host}:${port}`,
    [`${prefix}_PORT_${port}_TCP`]: `tcp://${host}:${port}`,
    [`${prefix}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${prefix}_PORT_${port}_TCP_PORT`]: String(port),
    [`${prefix}_PORT_${port}_TCP_ADDR`]: host,
  }
}

interface Compose {
  services: Record<'petstore' | 'migrate' | 'grants' | 'forward' | 'postgres', ComposeService>
  secrets: Record<string, { file: string }>
  volumes: object
}

interface ComposeService {
  command: string[]
  entrypoint: string[]
  environment: Record<string, string>
  secrets: string[]
  volumes: string[]
  healthcheck: { test: string[] }
}

interface Workload {
  replicas: number
  strategy: { rollingUpdate: { maxUnavailable: number } }
  template: {
    spec: { enableServiceLinks?: boolean; initContainers: Container[]; containers: [Container, ...Container[]] }
  }
  volumeClaimTemplates: { metadata: { name: string } }[]
}

interface Container extends Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe> {
  name: string
  image: string
  command?: string[]
  args?: string[]
  env?: { name: string; value: string }[]
  volumeMounts: { name: string; mountPath: string }[]
}

interface Probe {
  httpGet: { path: string }
  periodSeconds: number
  failureThreshold: number
}

interface KubernetesService {
  metadata: { name: string }
  spec: { ports: [{ name: string; port: number }] }
}
