// Settings as flags of a command, from the one table of settings.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Config, type Flags, readConfig, SETTINGS, type Setting } from '../config.ts'

type Named = keyof typeof SETTINGS

/** Adds the flags of these settings; their help says the variable and the default, too. */
export function withSettings(command: Command, ...names: Named[]): Command {
  for (const name of names) {
    const { flag, says, variable, default: preset }: Setting<unknown> = SETTINGS[name]
    if (flag) command.addOption(new Option(flag, `${says} (${variable}${preset ? `, default ${preset}` : ''})`))
  }
  return command
}

/** The whole configuration, checked whole, whichever of its settings the command uses. */
export function configOf(command: Command): Config {
  const given = command.optsWithGlobals<Record<string, unknown>>()
  const flags = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, given[name]])) as Flags
  return readConfig(process.env, flags)
}

/** A parser for commander, which shows an InvalidArgumentError beside the flag, from one that throws any Error. */
export function parsedBy<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}
