// Settings as flags of a command, from the one table of settings.

import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  CONNECTION_SETTINGS,
  type Config,
  type Connection,
  type Flags,
  readConfig,
  readConnection,
  SETTINGS,
  type Setting,
} from '../config/config.ts'

type Named = keyof typeof SETTINGS

/** Adds the flags of these settings; their help says the variable and the default, too. */
export function withSettings(command: Command, ...names: Named[]): Command {
  for (const name of names) addFlag(command, SETTINGS[name])
  return command
}

/** Adds the flags that say which service, and with which key. */
export function withConnection(command: Command): Command {
  for (const setting of Object.values(CONNECTION_SETTINGS)) addFlag(command, setting)
  return command
}

/** One of the contract's statuses. */
export function statusOption(says: string): Option {
  return new Option('--status <status>', says).choices(['available', 'pending', 'sold'])
}

function addFlag(command: Command, { flag, says, variable, default: preset }: Setting<unknown>): void {
  if (flag) command.addOption(new Option(flag, `${says} (${variable}${preset ? `, default ${preset}` : ''})`))
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

/** What flags and environment say of it; what is left open there, `petstore login` may know. */
export function connectionOf(command: Command): Connection {
  return readConnection(process.env, command.optsWithGlobals<Record<string, string>>())
}
