// Flags that several commands share, and their parsers.

import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { instantFromText, lacksSeconds } from '../../../contract/src/date-time.ts'
import { PET_STATUSES } from '../../../contract/src/generated.ts'
import { INT64_EXPECTED } from '../../../contract/src/json.ts'
import { dayFrom, dayOf, isDay, spanOf } from '../../../files/src/local-time.ts'
import { type Config, type Flags, localUrl, readConfig, readSettings } from '../../../service/src/config/read-config.ts'
import { CLIENT_SETTINGS, SETTINGS, type Setting } from '../../../service/src/config/settings.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { io } from '../../../service/src/system/io.ts'
import { wallMs } from '../../../service/src/system/runtime.ts'

type Named = keyof typeof SETTINGS

/** Requires every field, so that a new field does not compile without its flag. */
export type EveryField<Of> = Record<keyof Of, unknown>

/** Removes undefined fields. Throws StartError if none is left. */
export function givenFields<Change extends object>(
  change: { [Field in keyof Change]: Change[Field] | undefined },
  flags: string,
): Change {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined)
  if (fields.length === 0) throw new StartError(`Nothing to change. Use ${flags}.`)
  return Object.fromEntries(fields) as Change
}

/** Adds the flags of these settings. Their help includes variable and default. */
export function withSettings(command: Command, ...names: Named[]): Command {
  for (const name of names) addFlag(command, SETTINGS[name])
  return command
}

/** Adds the flags for the service and the API key. */
export function withClientSettings(command: Command): Command {
  return withLocal(withSettingsOf(CLIENT_SETTINGS, command))
}

/** Adds the flags for a service on this machine. */
export function withLocal(command: Command): Command {
  return command
    .addOption(new Option('--host <address>', 'call this address of this machine (PETSTORE_HOST)').conflicts('url'))
    .addOption(new Option('--port <number>', 'call this port of this machine (PETSTORE_PORT)').conflicts('url'))
}

/** Adds all flags of a table. */
export function withSettingsOf(table: Record<string, Setting<unknown>>, command: Command): Command {
  for (const setting of Object.values(table)) addFlag(command, setting)
  return command
}

/** The words that the page shows. */
const STATUS_WORDS: Readonly<Record<string, string>> = { reserved: 'pending', sold: 'completed' }

/** Also accepts the page's words for statuses. */
export function statusOption(description: string, statuses: readonly string[] = PET_STATUSES): Option {
  const option = new Option('--status <status>', description).choices(statuses)
  const { parseArg } = option
  const known = (word: string) => (statuses.includes(word) ? word : (STATUS_WORDS[word] ?? word))
  return option.argParser((word, before) => parseArg?.(known(word), before))
}

function addFlag(command: Command, { flag, description, variable, default: preset, values }: Setting<unknown>): void {
  if (!flag) return
  const option = new Option(flag, `${description} (${variable}${preset ? `, default ${preset}` : ''})`)
  command.addOption(values ? completing(option, values) : option)
}

/** Adds choices to completions and help only. `choices` would replace the parser. */
export function completing(option: Option, values: readonly string[]): Option {
  return Object.assign(option, { argChoices: values })
}

/**
 * Reads and checks the whole configuration, including settings that the command does not use. Flags override
 * `preset`.
 */
export function configOf(command: Command, preset: Flags = {}): Config {
  return readConfig(io().env, { ...preset, ...command.optsWithGlobals() })
}

/** Adapts a settings parser to commander, which shows an InvalidArgumentError next to the flag. */
export function parsedBy<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}

/** Returns a parser for a flag that can be repeated. */
export function repeated<Value>(parse: (text: string) => Value): (text: string, before?: Value[]) => Value[] {
  return (text, before = []) => [...before, parse(text)]
}

/** Creates an argument such as `<id>`. */
export function int64Argument(name: string, description: string): Argument {
  return new Argument(name, description).argParser(parseInt64)
}

/** Throws InvalidArgumentError. */
export const parseInt64 = parsedBy((text) => {
  if (/^-?[0-9]{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return BigInt(text)
  throw new Error(`must be ${INT64_EXPECTED}`)
})

/** Reads only flags and environment. `petstore login` may have saved the undefined values. */
export function clientConfigOf(command: Command) {
  const flags = command.optsWithGlobals()
  const config = readSettings(CLIENT_SETTINGS, io().env, flags)
  const isLocal = flags.host !== undefined || flags.port !== undefined
  return isLocal ? { ...config, url: localUrl(io().env, flags) } : config
}

/** What `timeParser` accepts besides its words. */
const TIMES = 'today, yesterday, a day such as 2026-11-21, or a time with an offset, such as 2026-11-21T18:00:00Z'

/** Adds `--from`, the start in the event feed. */
export function withFrom(command: Command): Command {
  const description = `where to start: beginning, now, ${TIMES} (default: beginning)`
  return command.option('--from <where>', description, timeParser('beginning', 'now'))
}

/**
 * The parser returns `words` and times unchanged. For a day, `today` or `yesterday`, it returns the day's first moment
 * by the clock and time zone of this machine.
 */
export function timeParser(...words: string[]): (text: string) => string {
  return parsedBy((text) => {
    if (words.includes(text) || instantFromText(text) !== undefined) return text
    refuseWithoutSeconds(text)
    const today = dayOf(wallMs())
    const day = { today, yesterday: dayFrom(today, -1) }[text] ?? text
    if (isDay(day)) return spanOf(day).from
    throw new Error(`must be ${[...words, TIMES].join(', ')}`)
  })
}

export function refuseWithoutSeconds(text: string): void {
  if (lacksSeconds(text)) throw new Error('must have seconds and an offset, such as 2026-11-21T18:00:00Z')
}
