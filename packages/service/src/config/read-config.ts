// Reads settings from the environment and flags. No other code reads settings from the environment. A flag overrides
// its variable.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { keyEnvironment } from '../domain/keys.ts'
import { StartError } from '../domain/start-error.ts'
import { authority } from '../observability/client-address.ts'
import { kindOf, pathFault } from '../store/kinds.ts'
import { NotApiKey } from './setting-parsers.ts'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from './settings.ts'

type Table = Readonly<Record<string, Setting<unknown>>>
type Values<Of extends Table> = Readonly<{
  [Name in keyof Of]: ReturnType<Of[Name]['parse']> | (Of[Name] extends { default: string } ? never : undefined)
}>

/** The settings of commands that work on a store. */
export type Config = Values<typeof SETTINGS>

/** Flag values by setting name. */
export type Flags = Readonly<Record<string, string | undefined>>

/** At least one problem is in a flag, so the command line itself is wrong. */
export class FlagError extends StartError {}

/** The API key for the service is missing or mistyped. */
export class KeyError extends StartError {}

interface Problem {
  /** The flag or the variable. */
  source: string
  message: string
  isMistypedKey?: boolean
}

/** Throws one StartError that lists all problems; a FlagError if one is in a flag. */
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

/**
 * Returns the address, ending in /v1, of a service on this machine with these variables and flags. Throws StartError.
 */
export function localUrl(environment: NodeJS.ProcessEnv, flags: Flags = {}): string {
  const { host, port } = readSettings({ host: SETTINGS.host, port: SETTINGS.port }, environment, flags)
  // Clients cannot call port 0.
  return `http://${authority(host, port || Number(SETTINGS.port.default))}/v1`
}

/** Returns whether the environment sets the local service's host or port. */
export function namesLocal(environment: NodeJS.ProcessEnv): boolean {
  return [SETTINGS.host, SETTINGS.port].some(({ variable }) => environment[variable])
}

/** Kubernetes sets these if a Service has the name `petstore`. */
const OF_KUBERNETES = /^PETSTORE_(SERVICE_HOST|SERVICE_PORT|PORT_\d+_)/

/** Returns PETSTORE_ variables that are no settings; they are probably misspelt. */
export function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = [SETTINGS, CLIENT_SETTINGS, VERIFY_SETTINGS]
    .flatMap((table: Table) => Object.values(table))
    .flatMap(({ variable, secret }) => (secret ? [variable, `${variable}_FILE`] : variable))
  return Object.keys(environment)
    .filter((name) => name.startsWith('PETSTORE_') && !known.includes(name) && !OF_KUBERNETES.test(name))
    .sort()
}

/** Returns variables without effect, and the variables that they need. */
export function withoutEffect(environment: NodeJS.ProcessEnv): { variables: string[]; missing: string[] } {
  const all: Setting<unknown>[] = Object.values(SETTINGS)
  const idle = all.filter(({ variable, needs }) => needs && environment[variable] && !environment[needs])
  const missing = new Set(idle.flatMap(({ needs = [] }) => needs))
  return { variables: idle.map(({ variable }) => variable), missing: [...missing] }
}

/**
 * Returns where `petstore login` saves address and key (XDG Base Directory Specification). Returns `undefined` if
 * there is no HOME and the system does not know the user, as in a container with an arbitrary user id.
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
 * Throws one StartError that lists all problems, including the problems in `more`; a FlagError if one is in a flag; a
 * KeyError if the client's key is the only one.
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
  const onFlag = problems.some(({ source }) => source.startsWith('--')) ? FlagError : StartError
  const Kind = problems.every(({ isMistypedKey }) => isMistypedKey) ? KeyError : onFlag
  throw new Kind(`The configuration cannot be used:\n${lines.join('\n')}`)
}

/** Treats an empty variable as not set, as Compose files and shells do. */
function fromEnvironment(environment: NodeJS.ProcessEnv, { variable, secret }: Setting<unknown>): string | undefined {
  const value = environment[variable] || undefined
  const file = secret ? environment[`${variable}_FILE`] || undefined : undefined
  if (file === undefined) return value
  if (value !== undefined) throw new Error(`is set twice: directly and with ${variable}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from the file in ${variable}_FILE (${pathFault(file) ?? systemReason(error)})`)
  }
}
