// How the Dockerfile and the examples in deploy/ start the service: environment, files and user.

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

const textOf = (name: string) => readFileSync(join(root, name), 'utf8')

/** The settings of the image, which examples extend. */
export function imageExample(): Example {
  const lines = textOf('Dockerfile')
  const [, variables = ''] = /^ENV (.*)$/m.exec(lines) ?? []
  const [, workdir = '/'] = /^WORKDIR (.*)$/m.exec(lines) ?? []
  return { environment: Object.fromEntries(variables.split(' ').map(pair)), workdir, data: '/data' }
}

export function composeExample(): Partial<Example> {
  const { services } = Bun.YAML.parse(textOf('deploy/compose.yaml')) as Compose
  return { environment: services.petstore.environment, secrets: '/run/secrets' }
}

export function kubernetesExample(name: string): Partial<Example> {
  const [deployment, service] = Bun.YAML.parse(textOf(`deploy/${name}`)) as [Deployment, KubernetesService]
  const { containers, enableServiceLinks } = deployment.spec.template.spec
  const [{ env, volumeMounts }] = containers
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  const links = enableServiceLinks === false ? {} : serviceLinks(service)
  return { environment: { ...links, ...own }, secrets: volumeMounts[0].mountPath }
}

export function systemdExample(): Example {
  const text = textOf('deploy/petstore.service')
  const secrets = '/run/credentials/petstore.service'
  const variables = [...text.matchAll(/^Environment=(.*)$/gm)].map(([, variable = '']) =>
    variable.replace('%d', secrets),
  )
  const [, workdir = '/'] = /^WorkingDirectory=(.*)$/m.exec(text) ?? []
  return { environment: Object.fromEntries(variables.map(pair)), secrets, workdir, data: '/var/lib/petstore' }
}

function pair(text: string): [string, string] {
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
  services: { petstore: { environment: Record<string, string> } }
}

interface Deployment {
  spec: { template: { spec: PodSpec } }
}

interface PodSpec {
  enableServiceLinks?: boolean
  containers: [{ env: { name: string; value: string }[]; volumeMounts: [{ mountPath: string }] }]
}

interface KubernetesService {
  metadata: { name: string }
  spec: { ports: [{ name: string; port: number }] }
}
