// Generates docs/configuration.md from the table of settings.

import type { Command } from 'commander'
import { COMMANDS } from '../packages/service/src/cli/commands/all.ts'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from '../packages/service/src/config/settings.ts'

const INTRODUCTION = `# Configuration

Written by \`npm run generate\` from the table in \`packages/service/src/config/settings.ts\`.

Every setting is an environment variable. Some are flags, too; a flag overrides its variable. The settings hold for
every command: \`petstore keys\` works on the store that \`PETSTORE_DATABASE\` names. An empty variable counts as not
set. All problems are reported together, before anything starts. When the server starts, its log warns of variables
that begin with \`PETSTORE_\` and are no setting.

| Variable | Flag | Default | |
|---|---|---|---|
`

const CONNECTION = `
These settings are for the commands that call a running service:
COMMANDS.

| Variable | Flag | Default | |
|---|---|---|---|
`

const VERIFICATION = `
\`petstore verify\` examines any server, and has these:

| Variable | Flag | Default | |
|---|---|---|---|
`

const NOTES = `
A secret may be kept in a file instead: set the variable whose name ends in \`_FILE\` to the path of the file.

Where a Service is named \`petstore\`, Kubernetes sets \`PETSTORE_PORT\` to \`tcp://…\`, which is refused here: set
\`enableServiceLinks: false\`, or set \`PETSTORE_PORT\` yourself.
`

/** The text of docs/configuration.md. */
export async function configurationPage(): Promise<string> {
  const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))
  const callers = commands.filter(calls).map((command) => `\`${command.name()}\``)
  const connection = CONNECTION.replace('COMMANDS', callers.join(', ').replace(/, (?!.*, )/, ' and '))
  return (
    INTRODUCTION + rows(SETTINGS) + connection + rows(CLIENT_SETTINGS) + VERIFICATION + rows(VERIFY_SETTINGS) + NOTES
  )
}

/** Whether the command, or a subcommand, has the flag for the service's address. */
function calls({ options, commands }: Command): boolean {
  return options.some(({ flags }) => flags === CLIENT_SETTINGS.url.flag) || commands.some(calls)
}

function rows(settings: Record<string, Setting<unknown>>): string {
  return Object.values(settings)
    .map(({ variable, flag, default: preset, secret, description }) => {
      const names = secret ? `\`${variable}\`, \`${variable}_FILE\`` : `\`${variable}\``
      return `| ${[names, code(flag), code(preset), description].join(' | ')} |\n`
    })
    .join('')
}

function code(text: string | undefined): string {
  return text ? `\`${text}\`` : ''
}
