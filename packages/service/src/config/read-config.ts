// Environment and flags → the values of settings. Nothing else reads a setting from the environment. A flag wins over its variable.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { keyEnvironment } from '../domain/keys.ts'
import { StartError } from '../domain/start-error.ts'
import { systemReason } from '../domain/system-reason.ts'
import { kindOf, pathFault } from '../store/kinds.ts'
import { NotApiKey } from './setting-parsers.ts'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from './settings.ts'

type Table = Readonly<Record<string, Setting<unknown>>>
type Values<Of extends Table> = Readonly<{
  [Name in keyof Of]: ReturnType<Of[Name]['parse']> | (Of[Name] extends { default: string } ? never : undefined)
}>

/** For what works on a store. */
export type Config = Values<typeof SETTINGS>

/** Texts by the names of their settings. */
export type Flags = Readonly<Record<string, string | undefined>>

/** At least one problem is in a flag, so the command itself is wrong, not only its environment. */
export class FlagError extends StartError {}

/** There is no API key for the service, or the one that is given is mistyped. */
export class KeyError extends StartError {}

interface Problem {
  /** The flag or the variable. */
  source: string
  message: string
  isMistypedKey?: boolean
}

/** Throws one StartError that names every problem; a FlagError when one of them is a flag. */
export function readConfig(environment: NodeJS.ProcessEnv, flags: Flags = {}): Config {
  return Object.freeze(readSettings(SETTINGS, environment, flags, contradictions))
}

function* contradictions({ bootstrapKey, environment, backupDir, database }: Partial<Config>): Generator<Problem> {
  if (bootstrapKey && keyEnvironment(bootstrapKey) !== environment) {
    yield { source: 'PETSTORE_BOOTSTRAP_KEY', message: `is not a key of the environment ${environment}` }
  }
  if (backupDir && database && !kindOf(database).files) {
    const message = 'is for files. Back up PostgreSQL with its own tools: petstore help backups'
    yield { source: 'PETSTORE_BACKUP_DIR', message }
  }
}

/** Where a service with these variables and flags listens on this machine, ending in /v1. Throws StartError. */
export function localUrl(environment: NodeJS.ProcessEnv, flags: Flags = {}): string {
  const { host, port } = readSettings({ host: SETTINGS.host, port: SETTINGS.port }, environment, flags)
  // An address of every interface cannot be called, and neither can a port that the system chooses.
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port || SETTINGS.port.default}/v1`
}

/** Whether the environment says where the service of this machine listens. */
export function namesLocal(environment: NodeJS.ProcessEnv): boolean {
  return [SETTINGS.host, SETTINGS.port].some(({ variable }) => environment[variable])
}

/** Kubernetes sets these where a Service is named `petstore`. */
const OF_KUBERNETES = /^PETSTORE_(SERVICE_HOST|SERVICE_PORT|PORT_\d+_)/

/** Variables whose names begin like a setting's but name no setting. They are probably misspelt. */
export function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = [SETTINGS, CLIENT_SETTINGS, VERIFY_SETTINGS]
    .flatMap((table: Table) => Object.values(table))
    .flatMap(({ variable, secret }) => (secret ? [variable, `${variable}_FILE`] : variable))
  return Object.keys(environment)
    .filter((name) => name.startsWith('PETSTORE_') && !known.includes(name) && !OF_KUBERNETES.test(name))
    .sort()
}

/** Variables that are set and have no effect, and the variables that they need. */
export function withoutEffect(environment: NodeJS.ProcessEnv): { variables: string[]; missing: string[] } {
  const all: Setting<unknown>[] = Object.values(SETTINGS)
  const idle = all.filter(({ variable, needs }) => needs && environment[variable] && !environment[needs])
  const missing = new Set(idle.flatMap(({ needs = [] }) => needs))
  return { variables: idle.map(({ variable }) => variable), missing: [...missing] }
}

/**
 * Returns where `petstore login` saves the address and the key (XDG Base Directory Specification). Returns `undefined` without a HOME for a
 * user whom the system does not know, as in a container that runs with any user id.
 */
export function loginFile(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    const home = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config')
    return join(home, 'petstore', 'login.json')
  } catch {
    return undefined
  }
}

/**
 * Throws one StartError that names every problem, also those that `more` finds between settings; a FlagError when one of them is a flag, and
 * a KeyError when the only one is the key of a client.
 */
export function readSettings<Of extends Table>(
  table: Of,
  environment: NodeJS.ProcessEnv,
  flags: Flags,
  more: (values: object) => Iterable<Problem> = () => [],
): Values<Of> {
  const problems: Problem[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(table)) {
    try {
      const text = flags[name] ?? fromEnvironment(environment, setting) ?? setting.default
      values[name] = text === undefined ? undefined : setting.parse(text)
    } catch (error) {
      const flag = flags[name] === undefined ? undefined : setting.flag?.split(/[ ,]/)[0]
      const isMistypedKey = setting === CLIENT_SETTINGS.apiKey && error instanceof NotApiKey
      problems.push({ source: flag ?? setting.variable, message: (error as Error).message, isMistypedKey })
    }
  }
  problems.push(...more(values))
  if (problems.length === 0) return values as Values<Of>
  const lines = problems.map(({ source, message }) => `  ${source} ${message}.`)
  throw new (kindOfError(problems))(`The configuration cannot be used:\n${lines.join('\n')}`)
}

function kindOfError(problems: readonly Problem[]): typeof StartError {
  if (problems.every(({ isMistypedKey }) => isMistypedKey)) return KeyError
  return problems.some(({ source }) => source.startsWith('--')) ? FlagError : StartError
}

/** A variable that is set but empty counts as not set, as in Compose files and shells. */
function fromEnvironment(environment: NodeJS.ProcessEnv, { variable, secret }: Setting<unknown>): string | undefined {
  const value = environment[variable] || undefined
  const file = secret ? environment[`${variable}_FILE`] || undefined : undefined
  if (file === undefined) return value
  if (value !== undefined) throw new Error(`is given twice: as itself and as ${variable}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from the file in ${variable}_FILE (${pathFault(file) ?? systemReason(error)})`)
  }
}
